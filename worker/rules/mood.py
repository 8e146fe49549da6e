"""What is said without being a statement about somebody's life, and why."""

import re

from worker.rules.sentences import QUOTE

I = r"\b(?:I|we|We)\b"  # noqa: E741 - the pronoun
QUESTION = re.compile(
    r"(?:\?[\"')\]\s]*$)|^(?:and |but |so |or |then )?(?:(?:who|what|when|where|why|how|which|whose)(?:'s|'re)?\s+"
    r"(?:is|are|was|were|do|does|did|can|could|would|should|will|have|has|about|if|much|many|come|to)\b"
    r"|(?:is|are|was|were|do|does|did|can|could|would|should|will|shall|may|have|has)\s+"
    r"(?:i|you|we|they|it|he|she|there|this|that|the|my|your|someone|anyone)\b"
    r"|what's\b|who's\b|how's\b|where's\b)",
    re.IGNORECASE,
)
#: A statement with a question hung on.
TAG = re.compile(
    r",?\s+(?:remember|right|you know|okay|ok|see|yeah|huh|correct|as you know)\?+$"
    r"|,\s+(?:isn't it|aren't I|don't I|haven't I|no)\?+$",
    re.IGNORECASE,
)
FICTION = re.compile(
    r"\b(?:in|for|of) (?:my|our|the|this|a) (?:\w+ )?(?:story|novel|book|game|dream|play|film|movie|script|campaign"
    r"|poem|song|world|fiction|fantasy|screenplay|role-?play)\b(?! club| group| shop| store)"
    r"|\bmy (?:main |new |other )?(?:character|protagonist|hero|heroine|villain|avatar|persona)\b"
    r"|\brole-?play|\bonce upon a time\b|\bin character\b|\bdreamt? (?:that|I)\b|\bfictional\b",
    re.IGNORECASE,
)
#: What follows in the same turn is made up as well.
PRETENCE = re.compile(
    r"\b(?:imagine|pretend|suppose|supposing|picture this|let's (?:say|pretend|assume|imagine)|assume (?:that )?I"
    r"|hypothetically|what if|for the sake of argument|act as|you are (?:a|an|my)|for (?:example|instance)"
    r"|say I(?:'m| am))\b",
    re.IGNORECASE,
)
HYPOTHETICAL = re.compile(
    rf"\bif (?:only )?(?:{I}|my|someone|it were|there)(?:'d)?\s*(?:ever|had|were|was|could|won|got|lived|\w+ed)\b"
    rf"|\bif {I} ever\b|\bwere I\b|\bhad I\b(?! )|\b(?:I|we)(?:'d| would| could)(?:n't| not)?\s+(?:have|be|love it if)\b"
    r"|\bI'd\b.*\bif\b|\bif\b.*\b(?:I|we)(?:'d| would| could| might)\b|\bas if\b"
    r"|\b(?:I|we) (?:wish|hope|wonder|guess|suppose|bet|doubt)\b|\bwonder(?:ing)?\b"
    r"|\b(?:maybe|perhaps|possibly)\b|\b(?:I|we) (?:might|may|could)\b|\bnot sure\b"
    r"|\bI would(?:n't)?\b(?! (?:like|love|prefer|rather))"
    r"|\bI'd\b(?! (?:like|love|prefer|rather|better|been|\w+ed\b))",
    re.IGNORECASE,
)
#: Talk about the talk itself, and errands of the moment.
TALK = re.compile(
    r"^(?:I|we) (?:(?:do|did|am|have|know|see|understand|agree|could|would|forgot|don't|didn't|can't|won't|get it|got it)"
    r"(?: (?:too|now|that|it|this|so|indeed))?$"
    r"|(?:mean|meant|said|told you|asked|appreciate|apologi[sz]e|think so|believe so|see what|know what|know how)\b"
    r"|don't (?:know|understand|get (?:it|that|this|why|how)|think so|mind|care)\b|didn't (?:know|understand)\b"
    r"|just wanted\b|was (?:just )?(?:asking|wondering)\b|wanted to (?:ask|say|know)\b"
    r"|have (?:a|another|one|some) (?:\w+ )?questions?\b|(?:can(?:'t|not)?) (?:see|find|tell|imagine|wait|confirm)\b"
    r"|will (?:try|take|think|let you|skip|check|see|do|look|go with|get back|have a look|be back|keep|pass)\b"
    r"|need (?:you|a|an|the|some|help|your|more|to (?:know|find|write|understand|fix|see|check))\b"
    r"|want (?:you|a|an|the|some|your|this|that|it)\b|(?:would|'d) (?:like|love) (?:you|an?|the|some|your|it)\b"
    r"|(?:like|love|hate|prefer|tried|want|need|try|did|do|saw|see|read) (?:it|that|this|those|these|them|one"
    r"|the (?:first|second|third|last)|your|option)\b)",
    re.IGNORECASE,
)
SHORT_TALK = re.compile(
    r"^I(?:'m| am) (?:back|here|done|sorry|glad|curious|sure|afraid|just (?:asking|kidding|curious)|asking|wondering"
    r"|not asking|joking|kidding|confused|stuck|listening|impressed|good|fine|ok|okay|all ears|ready)\b"
    r"|^I(?:'ll| will) (?:try|take|think|let you|skip|check|see|do|look|go with|get back|have a look|be back|keep|pass)\b"
    r"|^I(?:'ve| have) (?:a|another|one|some) (?:\w+ )?question|^I've (?:no idea|tried (?:it|that|this))"
    r"|^(?:my|our) (?:\w+ )?(?:question|code|script|query|function|prompt|point|guess|bad|mistake|apologies"
    r"|pleasure|goodness|god|bet|test|tests|request)\b",
    re.IGNORECASE,
)
THANKS = re.compile(
    r"^(?:thanks|thank you|thx|cheers|great|perfect|nice|cool|awesome|hi|hello|hey|good (?:morning|evening|night|day)"
    r"|bye|welcome|sorry|lol|haha|wow|congrat\w*)\b[^.]{0,40}$",
    re.IGNORECASE,
)


def without_tag(sentence: str) -> str:
    """A statement with a question hung on is one: "My home is in Seattle, remember?"."""
    bare = TAG.sub(".", sentence)
    return sentence if is_question(bare) else bare


def is_question(sentence: str) -> bool:
    return QUESTION.search(sentence) is not None


def no_statement(sentence: str) -> str | None:
    """The reason to leave the sentence out, or null for a statement."""
    if QUOTE in sentence:
        return "quotation"
    if is_question(sentence):
        return "question"
    if PRETENCE.search(sentence) or FICTION.search(sentence):
        return "fiction"
    if HYPOTHETICAL.search(sentence):
        return "hypothetical"
    if TALK.search(sentence) or SHORT_TALK.search(sentence) or THANKS.search(sentence):
        return "talk"
    return None


def opens_pretence(sentence: str) -> bool:
    """Whether the sentences after it are made up as well."""
    return PRETENCE.search(sentence) is not None

"""Which slot a statement fills, and with what: "User lives in Seattle" fills `home` with Seattle."""

import re
from dataclasses import dataclass

from worker.core.texts.words import content_words, negations
from worker.rules.people import NOUN

WHO = rf"(?:\b[A-Z][\w'-]*(?: \([^)]*\)| (?:{NOUN}))?|\bthey) (?:(?:now|currently|just|recently|also|still|finally|already) )*"
PLACE = r"(?P<value>(?:the )?(?:[A-Z][\w'’.-]*)(?:[ -](?:[A-Z][\w'’.-]*))*)"
THING = r"(?P<value>[^,;.]+?)"
STOP = r"(?=[,;.]|$| (?:now|these days|at the moment|and|but|since|because|with|for|every|from|in|again|instead)\b)"
DRINKS = (
    r"(?i:coffees?|teas?|espressos?|americanos?|cappuccinos?|lattes?|flat whites?|pour-overs?|filter coffees?|matchas?"
    r"|mates?|cocoas?|chocolates?|chai|juices?|smoothies?|water|beers?|wines?|milk|decaf|cold brews?|rooibos|macchiatos?)"
)
PETS = (
    r"(?i:dogs?|cats?|puppy|kitten|hamsters?|rabbits?|parrots?|greyhounds?|budgies?|horses?|pon(?:y|ies)|tortoises?"
    r"|turtles?|guinea pigs?|goldfish|fish|snakes?|lizards?|ferrets?|chickens?|hens?|goats?|labradors?|terriers?|poodles?"
    r"|spaniels?|retrievers?|collies?|huskies|husky|beagles?|dachshunds?|rats?|birds?|geckos?)"
)
JOBS = (
    r"(?i:engineer|developer|programmer|designer|teacher|nurse|doctor|paramedic|lawyer|solicitor|accountant|chef|cook|baker"
    r"|barista|waiter|waitress|driver|pilot|electrician|plumber|carpenter|mechanic|gardener|farmer|butcher|tailor"
    r"|journalist|writer|author|editor|translator|interpreter|librarian|professor|lecturer|researcher|scientist|student"
    r"|analyst|architect|consultant|manager|director|lead|clerk|cashier|salesperson|therapist|psychologist|psychiatrist"
    r"|physiotherapist|dentist|pharmacist|surgeon|vet|veterinarian|midwife|firefighter|policeman|officer|soldier|sailor"
    r"|musician|singer|actor|actress|artist|painter|photographer|dancer|coach|trainer|instructor|tutor|assistant"
    r"|secretary|receptionist|administrator|technician|builder|welder|cleaner|courier|postman|biologist|chemist"
    r"|physicist|geologist|historian|economist|statistician|mathematician|recruiter|founder|freelancer|apprentice|intern"
    r"|contractor|head nurse|shift lead|team lead|cto|ceo|devops|sysadmin|ranger|florist|jeweller|hairdresser|barber)"
)
DIETS = (
    r"(?i:vegetarian|vegan|pescatarian|flexitarian|carnivore|coeliac|celiac|keto|lactose[- ]intolerant|gluten[- ]free|halal"
    r"|kosher|omnivore|fruitarian|diabetic)"
)
TRAVEL = (
    r"(?:cycles?|bikes?|walks?|drives?|commutes?|rides?|runs?|scooters?|gets? (?:the|a)|takes? (?:the|a)|goes|go|skates?"
    r"|travels?|carpools?)"
)
WORKPLACE = r"to (?:work|the office|the lab|campus|school|uni(?:versity)?|college|the shop|their (?:job|office))\b"


#: What "we moved to …" is about without being a home.
NO_PLACE = (
    r"(?!(?:Postgres\w*|MySQL|SQLite|MongoDB|Redis|Kubernetes|Docker|Python|Rust|Go|Java\w*|TypeScript|Kotlin|Swift"
    r"|React|Vue|Svelte|Angular|GitHub|GitLab|Bitbucket|AWS|Azure|GCP|Linux|Ubuntu|Windows|Mac\w*|Android|iOS|Slack"
    r"|Teams|Zoom|Notion|Jira|Linear|Vim|Emacs|VS)\b)"
)


@dataclass(frozen=True)
class Slot:
    """`single` where a new value takes the place of the old one without further words."""

    attribute: str
    #: Name of a part (`value`, or `at` for an employer) → the words that fill it.
    parts: tuple[tuple[str, str], ...]
    single: bool = True

    @property
    def cores(self) -> dict[str, frozenset[str]]:
        return {part: content_words(words) for part, words in self.parts}


@dataclass(frozen=True)
class _Rule:
    """The attribute may use the pattern's `of` group."""

    attribute: str
    pattern: re.Pattern[str]
    single: bool = True


def _rule(attribute: str, pattern: str, *, single: bool = True) -> _Rule:
    return _Rule(attribute, re.compile(pattern), single)


RULES = (
    _rule("meaning of {of}", r"^(?:(?:Error|Code|Status) )?(?P<of>\S*\d\S*|[A-Z]+(?:_[A-Z]+)+) (?:means|stands for) (?P<value>.+)$"),
    _rule("port of {of}", r"^(?P<of>[A-Za-z][\w' .-]{0,40}?) (?:listens on|runs on|moved to|is on|uses) (?:port )?(?P<value>\d{2,5})$"),
    _rule("version of {of}", r"^(?P<of>[A-Za-z][\w .-]{0,40}?) (?:runs|is on|is at|uses|moved to) (?:version |v)(?P<value>\d[\w.]*)$"),
    _rule("favourite {of}", r"\b[Ff]avou?rite (?P<of>[a-z][a-z -]{1,30}?)(?: here| there| now)? (?:is|are) (?:now )?" + THING + r"(?=[,;.]|$| these days| now)"),
    _rule("favourite {of}", r"^" + THING + r" (?:is|are) (?:now )?\w+'s (?:new )?favou?rite (?P<of>[a-z][a-z ]{1,20}?)(?=[,;.]|$| these days| now)"),
    _rule("birthday", r"\b[Bb]irthday is (?:on )?" + THING + r"(?=[,;.]|$)|\bwas born (?:on|in) (?P<born>[^,;.]*\d[^,;.]*)"),
    _rule("age", WHO + r"(?:is|are|turned|has turned) (?P<value>\d{1,3})(?: years old)?(?=[,;.]|$| now| years old| today| yesterday| last| this| in| on)"),
    _rule("phone number", r"\b(?:phone|mobile|cell|telephone)(?: number)? is (?P<value>\+?[\d ()-]{5,})"),
    _rule("email", r"\be-?mail(?: address)? is (?P<value>\S+@\S+)"),
    _rule("address", r"\baddress is (?P<value>[^;]+)"),
    _rule("name", r"^(?:User|[A-Z]\w+)'s (?:first |full |last )?name is (?P<value>[A-Z][\w'-]*(?: [A-Z][\w'-]*)?)"),
    _rule("diet", WHO + r"(?:is|are|became|has become|has gone|went|has turned|turned|has been) (?:a |an )?(?:strict |mostly |fully )?(?P<value>" + DIETS + r")\b"),
    _rule("allergy", r"\ballergic to " + THING + r"(?=[,;.]|$)|\b(?P<with>[a-z]+(?: [a-z]+)?) allergy\b", single=False),
    _rule("partner", WHO + r"(?:(?:is|are|got|has been) (?:now )?(?:married|engaged) to|(?:is|are) dating|married) (?P<value>[A-Z]\w+)"
          r"|'s (?:wife|husband|partner|girlfriend|boyfriend|fiancée?)(?: is (?:called|named)|'s name is) (?P<named>[A-Z]\w+)"),
    _rule("partner", WHO + r"(?:is|are|got) (?:now )?(?P<value>single|divorced|widowed|separated)\b"),
    _rule("language", WHO + r"(?:speaks?|(?:is|are) fluent in|(?:is|are) learning|learns?) (?P<value>(?:[A-Z][a-z]+)(?:(?:, | and |, and )[A-Z][a-z]+)*)", single=False),
    _rule("home", WHO + r"(?:lives?|(?:is|are) living|(?:has|have) (?:lived|been living)|(?:is|are) based|resides?|stays?|(?:is|are) staying)\b[^,;]*?\b(?:in|at|on|near|outside) " + PLACE),
    _rule("home", r"\b(?:has |have |'ve )?(?:moved|relocated)(?: back| over| out| home)*(?: from [A-Z]\w+)?,? to " + NO_PLACE + PLACE),
    _rule("home", r"\b(?:[Hh]ome|place|house|flat|apartment) (?:is|are) in " + PLACE + r"|^" + PLACE.replace("value", "named") + r" is (?:now )?(?:\w+'s home\b|where \w+ lives?\b)"),
    _rule("job", WHO + r"(?:works?|(?:is|are) working|(?:has|have) (?:worked|been working))(?:(?: as (?:an? |the )?" + THING + r")?(?: (?:at|for) (?P<at>(?:the )?[\w'’& -]+?))?)" + STOP),
    _rule("job", WHO + r"(?:joined|(?:has|have) joined|started (?:work(?:ing)? )?at|(?:has|have) started (?:work(?:ing)? )?at|starts (?:work )?at) (?P<at>(?:the )?[\w'’& -]+?)" + STOP),
    _rule("job", WHO + r"(?:(?:is|are|became|has become|works as) (?:now )?(?:an?|the) |(?:was made|was promoted to|got promoted to) (?:(?:an?|the) )?)(?P<value>(?:[\w-]+ ){0,3}?" + JOBS + r")\b(?: (?:at|for) (?P<at>(?:the )?[\w'’& -]+?)" + STOP + r")?"),
    _rule("job", r"\b[Jj]ob(?: title)? is (?:now )?(?:an? )?" + THING + STOP),
    _rule("phone", r"\b[Pp]hone is (?:now )?(?:an? |the )?" + THING + STOP + r"|\b(?:has|have|uses?|bought|got|switched to|upgraded to) (?:an? |the )?(?:new )?(?P<model>(?:iPhone|Pixel|Galaxy|Fairphone|OnePlus|Nokia|Xperia)[\w ]*?)" + STOP),
    _rule("commute", WHO + r"(?:(?:usually|mostly|normally|always) )?(?P<value>" + TRAVEL + r"(?![^,;.]*\b(?:kids|children|sons?|daughters?)\b)[^,;.]*?) " + WORKPLACE + r"(?: by (?P<by>\w+))?"),
    _rule("{of} drink", r"\b(?:drinks?|makes?|has|have|brews?|gets?|(?:is|are) (?:drinking|having|getting)|orders?|starts? (?:the|their) day with) (?:an? |some |their )?(?P<value>[^,;.]*?" + DRINKS + r")\b.*?\b(?:every|each|in the|for) (?P<of>morning|breakfast|evening|afternoon|lunch|dinner|night)"),
    _rule("{of} drink", r"\b(?:[Ee]very|[Ee]ach|[Ii]n the|[Ff]or) (?P<of>morning|breakfast|evening|afternoon|lunch|dinner|night)s?,? (?:\w+ ){1,3}?(?:drinks?|makes?|has|have|brews?|gets?|orders?|starts? with) (?:an? |some |their )?(?P<value>[^,;.]*?" + DRINKS + r")\b"),
    _rule("drink", r"\b(?:drinks?|(?:is|are) (?:drinking|having|getting)|orders?) (?:an? |some |their )?(?P<value>[^,;.]*?" + DRINKS + r")\b", single=False),
    _rule("pet", r"\b(?:has|have|owns?|keeps?|got|adopted|(?:has|have) adopted|bought|(?:has|have) got) (?P<value>(?:(?:an?|two|three|four|five|another|some|\d+) )?(?:[\w-]+ ){0,3}?" + PETS + r")\b", single=False),
    _rule("pet", r"'s (?:[\w-]+ ){0,2}?(?P<value>" + PETS + r")(?:'s name)? (?:is|are)\b", single=False),
    _rule("hobby", WHO + r"(?:plays?|practises?|practices?|(?:is|are) into|collects?) (?:the )?" + THING + STOP, single=False),
    _rule("car", WHO + r"(?:drives?|owns?|bought|has bought|leases?) (?:an? |the )(?P<value>(?:[\w-]+ ){0,2}?(?:car|van|Volvo|Saab|Tesla|Toyota|Ford|Honda|BMW|Audi|Fiat|Skoda|Volkswagen|VW|Golf|Renault|Peugeot|Mazda|Kia|Hyundai|Subaru|Nissan))\b", single=False),
)  # fmt: skip


#: Before the words that fill a slot: it is not so, not any more, or not yet.
NOT_SO = re.compile(
    r"\b(?:no longer|used to|want(?:s|ed)? to|hop(?:es|ing) to|plan(?:s|ning)? to|going to|would like to|thinking (?:of|about)"
    r"|consider(?:s|ing)|almost|nearly|dreams? of)\b",
    re.IGNORECASE,
)


def slot_of(text: str) -> Slot | None:
    """The first slot that the statement fills; null for what has none, is over, or is still to come."""
    for rule in RULES:
        for found in rule.pattern.finditer(text):
            slot = _filled(rule, found)
            if slot and not _unreal(text, found):
                return slot
    return None


def _filled(rule: _Rule, found: re.Match[str]) -> Slot | None:
    groups = {name: value.strip() for name, value in found.groupdict().items() if value}
    of = " ".join(groups.pop("of", "").split())
    parts = tuple(("at" if name == "at" else "value", words) for name, words in groups.items())
    if not any(words for _, words in parts):
        return None
    return Slot(rule.attribute.format(of=of), parts, rule.single)


def _unreal(text: str, found: re.Match[str]) -> bool:
    clause = max(text.rfind(",", 0, found.start()), text.rfind(";", 0, found.start())) + 1
    said = text[clause : found.end()]
    return bool(negations(said)) or NOT_SO.search(said) is not None

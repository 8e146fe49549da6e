"""How long what a model writes may be before it is no memory."""

#: Longest text of a memory, in characters: ten long sentences. A memory is one statement, and small embedders read
#: no further than about 512 tokens, so what stands behind this would be found by no search.
LONGEST_TEXT = 2_000
#: Longest name of whom a memory is about, in characters: a longer one is a sentence.
LONGEST_NAME = 120

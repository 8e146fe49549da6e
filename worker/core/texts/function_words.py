"""Words and signs that carry grammar, not meaning, and mean nothing else in another of these languages."""

ENGLISH = """
a about after again all also am an and any are as at be because been before being but by can could
did do does doing done down during each either ever every few for from further had has have having
he her here hers herself him himself his how i if in into is it its itself just let lets may me
might more most much must my myself now of off on once only or other ought our ours ourselves out
over own quite rather really same shall she should so some such than that the their theirs them
themselves then there these they this those through to too under until up upon us very was we were
what when where which while who whom whose why will with would yet you your yours yourself
yourselves i'm i've i'd i'll you're you've you'd you'll he'd he'll she'd she'll we're we've we'd
we'll they're they've they'd they'll it'd it'll that'd that'll there'd there'll user users s t re
ve ll d m no not never none nor cannot don't doesn't didn't isn't aren't wasn't weren't won't
can't couldn't shouldn't wouldn't hasn't haven't hadn't ain't mustn't
"""
GERMAN = """
aber als am auch auf aus bei bis bist da damit dann das dass dein deine dem den der des dich dir
du durch ein eine einem einen einer eines er es euch euer für hab habe haben hatte hatten ich ihm
ihn ihnen ihr ihre im ist ja jede jeder jedes jetzt kann mein meine meinem meinen meiner mich mir
mit nach noch nur ob oder schon sehr sein seine sich sie sind um und uns unser unsere vom von vor
wann wenn wer wie wir wird wirst wo wurde zu zum zur über nicht kein keine
"""
ROMANCE = """
al algo alla allo altro anche aos aquel aquela aquele avec aux c'est ces cet cette che chi ci como
con cui cuyo dal dalla dans das de degli dei del della delle dello des di du e eine el ela elas
ele eles ella ellas elle elles ellos em en era eran es essa esse esta está estas este estos estou
est et eu fue gli hay il ils io isso isto je j'ai la las le les leur lo los loro lui là ma mais me
mes mi mia mio mis mon muy más na nas ne nel nella nos notre nous nos nossa nosso nuestra nuestro
o os ou où par para pas pela pelo per perché pero por porque qu'il que quel quem quello questa
questo qui quien sa se seu ses si sia sono soy su sua sul sulla suo sur sus são também también te
tes ti tu tua tuo tus un una uma un'altra une uno uns vos votre vous y ya yo à às é è
"""
OTHERS = """
aan als bij dat de dit een en er haar heb hebben heeft het hij ik in is je kan maar me mij mijn
naar niet nog of om onze ook op te toch tot uit voor waar was wat we wel wij wordt zijn zo а без
бы был была были было быть в вам вас во вот все всё вы где да для до его ее её ей ему если есть
ещё же за и из или им их к как ко когда кто ли мне мой моя мои мы на над нам нас наш не него нее
неё нет ни но ну о об он она они оно от очень по под при с со так также там то тоже только ты у
уже чем что чтобы эта эти это этот я och att det den en ett är jag du han hon vi ni de som på för
med av till inte om har från i w z na do się jest to że nie jak o po za od przez dla są był była
ja ty on ona my ve bir bu da de için ile sen o biz siz onlar çok mi mı
"""

FUNCTION_WORDS = frozenset(f"{ENGLISH} {GERMAN} {ROMANCE} {OTHERS}".split())

#: Chinese and Japanese signs of grammar, pronouns and particles.
FUNCTION_SIGNS = frozenset("的了是在我你他她它们們和也就都很这這那个個吗嗎呢吧はがをにへでともの")

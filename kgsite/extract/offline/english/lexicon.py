"""Closed word classes that the English rules look up: lemmas, lower case, no proper names of samples."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MONTHS = _words("january february march april may june july august september october november december")

# Heads that say nothing alone: dropped when bare, kept with a modifier that makes them a thing.
VAGUE = _words(
    """ability access account activity capability factor function field advancement topic addition aim amount answer area aspect attempt attention back basis beginning bit case cause
    chance change choice circumstance class condition consequence context course day deal decade degree detail difference
    direction effect effort element end example experience extent eye face fact factor fashion feature field figure
    focus form front future goal good ground group half hand head help hope hour idea importance increase
    instance interest issue item kind lack length level life line list look lot majority man manner matter
    means measure member method middle minute moment month morning motion move mr mrs name nature need night
    note number object one option order other outcome pair part party past people percent period person piece place
    plan plenty point portion position possibility presence problem process purpose quality question range rate
    reality reason reference respect rest result review right role rule scene sense series set shape share side sign
    situation sort source spot stage standard start state statement step stuff subject success sum surface system task
    team term thing thought time today tomorrow tonight topic total trend trouble truth try turn type unit use
    value variety version view voice way week while word work world year yesterday follow-on rehearsal tonne ton
    kilogram kilometre kilometer metre meter mile foot inch pound dollar euro cent hundred thousand million billion
    section chapter page paragraph figure table appendix footnote volume no title author clause article
    north south east west midnight noon dawn dusk nightfall evening afternoon monday tuesday wednesday thursday friday saturday sunday
    collaboration accordance size finger arm shoulder lip brow jaw neck chest leg skin ear mouth nose hair cheek
    passage quotation above below former latter following previous nothing everything something anything someone
    somebody anyone anybody everyone everybody none nobody both each either neither any some all most many much
    several few more less enough whole individual autumn summer winter smile nod glance breath gaze shrug sigh whisper tone silence pause""",
)
# Nouns that stand for the noun after "of": "the rise of e-commerce" is e-commerce.
LIGHT = _words(
    """amount array beginning body branch bulk category class collection couple course dozen emergence end extent form
    generation group growth half handful hundred thousand million billion increase kind level lot majority mass
    need number pair part percentage piece plenty portion presence process quantity range rest rise role scope
    series set share side sort spread state stream sum tonne ton kilogram gram litre type use variety version wave
    wealth way number aspect element example feature degree period adoption arrival advent area emergence name title
    term ability idea notion cup glass bit slice row bunch host wealth proportion cluster decade year
    possibility importance direction leadership supervision guidance auspices command hectare acre""",
)
MEASURES = _words(
    "percent percentage kilogram kilometre kilometer gram litre liter metre meter mile dollar euro cent hectare acre yen ounce"
)
# "take part in", "play a role in": verb and noun make one predicate with the preposition after them.
LIGHT_OBJECTS = _words(
    """part role place advantage control care use way effect impact influence responsibility charge contact access
    attention interest priority note step account rise birth credit command possession ground leave aim issue""",
)
LIGHT_VERBS = _words("take play have make pave give lose gain keep pay exert put set lay bear hold get bring cast")
QUANTIFIERS = _words(
    """all another any both certain different each either enough few fewer former further half latter least less
    little lot many more most much neither next no numerous other others own particular previous same several single
    some such that the these this those various very whole entire multiple countless last only main major mere
    respective following given actual approximately about around nearly almost roughly over just even also today
    what which whose whatever whichever every additional so-called usual current key significant important
    crucial essential notable great good bad better best worse worst big small large larger largest huge
    vast groundbreaking profound remarkable overall general specific possible potential certain
    real true full complete sheer recent times early earlier later late new newly old ordinary seminal influential
    unprecedented dramatic considerable substantial""",
)
# Adjectives that a proper-noun-like head needs: "great" is part of "Great Britain" because it is capitalised there.
PERSON_NOUNS = _words(
    """actor actress admiral adviser advisor agent ambassador analyst archaeologist architect artist astronaut
    astronomer athlete attorney author banker baron biologist bishop botanist boy brother builder businessman
    businesswoman captain cardinal carpenter chair chairman chairwoman chancellor chemist child chief citizen cleric coach
    colleague colonel commander commissioner composer conductor consultant councillor count countess cousin critic
    curator dancer daughter dean delegate deputy designer detective developer diplomat director doctor drummer duke
    economist editor educator emperor empress engineer entrepreneur executive expert explorer farmer father
    filmmaker financier fisherman founder friend general geographer geologist girl governess governor
    grandfather grandmother guitarist guard head historian husband industrialist inventor investigator investor
    journalist judge keeper king knight lawyer lawmaker leader lecturer librarian lieutenant linguist magistrate
    major manager marshal mathematician mayor mechanic merchant midwife minister missionary monarch monk mother
    musician naturalist neighbour neighbor nephew niece novelist nun nurse officer official owner painter parent
    partner patient person philosopher photographer physician physicist pianist pilot pioneer playwright poet police
    policeman policewoman politician pope premier president priest prince princess principal producer professor
    programmer prosecutor psychologist publisher queen rabbi regulator reporter representative researcher
    salesman scholar scientist sculptor secretary senator sergeant sheriff singer sister sociologist soldier
    son spokesman spokesperson spokeswoman statesman student surgeon surveyor teacher technician thinker trader
    trustee tutor uncle aunt victim visitor wife woman worker writer widow widower boss composer ceo
    stakeholder user consumer customer employee employer resident tenant participant member sailor crewman""",
)
ROLE_NOUNS = PERSON_NOUNS | _words(
    "capital member part branch subsidiary division home birthplace site source center centre unit headquarters seat form "
    "type kind example component successor predecessor ally rival tributary suburb heir catalyst symbol variant "
    "competitor cause foundation basis winner recipient supporter opponent advocate champion proponent successor graduate",
)
# Words for people that say nothing by themselves: "the first woman to …" is described, not classed.
GENERIC = _words("person people woman man human individual one member american")
KIN_FEMALE = _words(
    "mother sister daughter wife aunt niece grandmother widow girlfriend granddaughter stepmother queen princess"
)
KIN_MALE = _words(
    "father brother son husband uncle nephew grandfather widower boyfriend grandson stepfather king prince"
)
# What only people are, among the roles and kin.
PERSON_ROLES = (
    KIN_FEMALE
    | KIN_MALE
    | _words(
        "member winner recipient supporter opponent advocate champion proponent successor predecessor graduate ally rival "
        "heir head"
    )
)
KIN = (
    KIN_FEMALE
    | KIN_MALE
    | _words(
        "parent child cousin friend colleague partner spouse sibling boss mentor student assistant twin fiancé fiancée neighbour neighbor",
    )
)
TITLES = _words(
    """mr mrs ms miss dr doctor prof professor president prime minister chancellor king queen prince princess sir lady
    lord dame captain colonel general major lieutenant sergeant admiral commander agent senator governor
    congressman congresswoman judge justice secretary ambassador pope cardinal bishop archbishop father sister saint
    st emperor empress duke duchess count countess baron baroness chairman chief director mayor reverend rev
    inspector detective officer deputy vice engineer chairwoman representative rep sen gov gen col capt lt sgt mme madame monsieur
    uncle aunt""",
)
FEMALE_TITLES = _words(
    "mrs ms miss lady dame queen princess empress duchess countess baroness mme madame chairwoman congresswoman aunt sister"
)
MALE_TITLES = _words(
    "mr sir lord king prince pope duke count baron emperor monsieur chairman congressman uncle father cardinal bishop archbishop"
)
ORG_NOUNS = _words(
    """academy administration agency airline army assembly association authority bank board brigade bureau business
    cabinet charity church club clinic coalition college command commission committee community company congress
    consortium cooperative corporation council court crew department enterprise faculty federation firm force foundation
    fund gallery government group guild hospital house industry institute institution laboratory lab league legislature
    library maker manufacturer ministry monastery museum navy newspaper office orchestra order organisation organization parliament
    parish party police publisher regiment retailer school secretariat senate society squad staff startup store studio supplier
    team theatre theater trust union university workshop squadron operator provider ltd inc corp llc plc gmbh ag""",
)
PLACE_NOUNS = _words(
    """airport archipelago area avenue base basin bay beach bridge building canal canyon capital castle cave city coast
    colony continent corridor country county crater desert district empire estate factory farm forest garden
    glacier gulf harbour harbor headquarters hill home island jungle kingdom lake land landscape mill mine
    moon mountain nation neighbourhood neighborhood ocean orbit palace park peninsula planet plateau port
    prison province quarter reef region republic reservoir river road room sea shed shore site station street
    suburb summit surface temple territory town tower valley village volcano wall wetland yard zone sanatorium
    house dam cathedral border lighthouse warehouse pier quay town hall archive""",
)
EVENT_NOUNS = _words(
    """accident attack award battle campaign celebration ceremony championship competition conference congress contest
    convention coup crash crisis cup debate depression disaster earthquake election epidemic eruption exhibition
    expedition expo explosion famine festival fire flight flood game games hearing hurricane invasion
    investigation landing launch march massacre match meeting merger mission movement olympics pandemic plague
    protest race rally rebellion recession referendum reform renaissance revolt revolution riot ritual
    siege storm strike summit symposium tour tournament trial uprising voyage war wedding""",
)
TECH_NOUNS = _words(
    """aircraft algorithm antenna app appliance application architecture battery blockchain boiler browser cable camera
    capsule chip compiler computer computing crane database device drone dynamo electrometer engine
    equipment framework generator gun hardware instrument internet kiln laser lens locomotive loom machine
    machinery microscope missile model module motor network printer process processor method program programme protocol
    pump radar radio railway reactor receiver robot robotics rocket rover satellite scanner sensor ship software
    spacecraft steam steamship submarine switch system technique technology telegraph telephone telescope television
    tool train transistor transmitter transport turbine vaccine vehicle weapon web wheel x-ray electricity automation
    seismometer reflector probe shuttle lander server algorithm""",
)
PRODUCT_NOUNS = _words(
    """beer book bread car cheese chocolate cigarette clothing console cosmetic dress drug drink food furniture
    garment laptop medicine phone pill shoe smartphone tablet textile toy watch wine yacht""",
)
WORK_NOUNS = _words(
    """act agreement album article autobiography ballad ballet biography bill book charter code comic concerto constitution contract
    declaration diary directive document documentary drawing essay film guideline handbook journal law
    letter magazine manifesto manual manuscript map memoir movie notebook novel opera opus ordinance paper
    painting pamphlet patent photograph play playbook poem poetry portrait prize publication record
    regulation report script sculpture sermon sonata song speech standard statute story symphony
    textbook theory thesis trilogy treaty treatise""",
)
# "Apollo" and "Apollo program" are one thing: class words that add nothing to a name.
CLASS_WORDS = _words(
    "program programme project mission initiative rocket spacecraft probe satellite aircraft company corporation framework river dynasty empire virus language"
)
PROGRAMMES = _words("program programme project mission initiative campaign operation")
# "in collaboration with X" is "with X"; the others make no statement.
SHARED_DOING = _words("collaboration cooperation partnership association conjunction concert")
EMPTY_PHRASES = _words(
    "accordance addition contrast terms front response favour favor support search exchange honour honor light order event case spite lieu view"
)
MASS_CLASSES = _words(
    "legislation equipment software hardware furniture fruit infrastructure technology machinery literature livestock wildlife cargo"
)
HYPHEN_PREFIXES = _words(
    "non self well off long short high low co pre post anti multi cross semi re third first second one two three half large small full ex mid all well real so third decision"
)
# "…, which led to Y": the whole clause before it did, not its last noun.
SENTENTIAL_VERBS = _words("lead cause result mean make force prompt help allow suggest show")
# What the other side of such a statement is, when the recogniser does not know it.
PLACE_PREDICATES = frozenset(
    {
        "born in",
        "live in",
        "move to",
        "return to",
        "located in",
        "arrive in",
        "die in",
        "headquartered in",
        "based in",
        "grow up in",
    }
)
PERSON_PREDICATES = frozenset(
    {
        "live in",
        "live with",
        "live at",
        "die in",
        "die at",
        "die of",
        "born in",
        "born on",
        "born to",
        "study at",
        "grow up in",
        "marry",
    }
)
FIRM_ROLES = _words(
    "executive officer chairman chairwoman spokesman spokeswoman spokesperson employee ceo shareholder subsidiary"
)
FIRM_PREDICATES = frozenset({"employ", "headquartered in", "based in", "acquire", "acquired by"})
# Verbs with a second object after "of": "inform the authority of a breach".
OF_VERBS = _words("inform notify accuse deprive rob convict remind warn convince assure cure relieve strip")
ABBREVIATED_TITLES = _words(
    "mr mrs ms miss dr prof st rev rep sen gov gen col capt lt sgt sir lady madam mme madame monsieur dame lord"
)
STATE_ABBREVIATIONS = _words("us usa uk eu uae ussr gdr frg nyc la dc un")
# Verbs that introduce another name rather than a fact.
NAMING_VERBS = _words("call name know dub nickname rename title term designate entitle christen abbreviate")
HUMAN_VERBS = _words("bear marry wed divorce graduate")  # of their subjects only people are capable
HEDGE_VERBS = _words("help try plan fail refuse attempt intend agree promise threaten want hope need")
WEAK_VERBS = _words(
    "be have do get say think know seem let want feel mean wonder guess suppose hear assume see show note "
    "hope believe argue claim tell ask suggest explain",
)
SPEECH_VERBS = _words(
    "say think murmur whisper reply ask mutter answer muse shout cry exclaim add begin nod smile sigh grin snort laugh shrug",
)
# Noun → participle: "the invention of the telephone by Bell".
DEVERBAL = {
    "invention": "invented", "discovery": "discovered", "development": "developed", "creation": "created",
    "refinement": "refined", "foundation": "founded", "founding": "founded", "construction": "constructed",
    "design": "designed", "introduction": "introduced", "publication": "published", "acquisition": "acquired",
    "purchase": "purchased", "adoption": "adopted", "production": "produced", "establishment": "established",
    "destruction": "destroyed", "isolation": "isolated", "translation": "translated", "election": "elected",
    "appointment": "appointed", "assassination": "assassinated", "invasion": "invaded", "conquest": "conquered",
    "occupation": "occupied", "formation": "formed", "analysis": "analysed", "management": "managed",
    "assessment": "assessed", "execution": "executed", "performance": "performed", "replacement": "replaced",
    "restoration": "restored", "renovation": "renovated", "approval": "approved", "release": "released",
    "annexation": "annexed", "unification": "unified", "abolition": "abolished", "defeat": "defeated",
    "capture": "captured", "arrest": "arrested", "murder": "murdered", "excavation": "excavated",
    "exploration": "explored", "observation": "observed", "measurement": "measured", "detection": "detected",
}  # fmt: skip
# Of these the noun after "of" is meant when a clause has them as subject or object: "the creation of X enabled".
TRANSPARENT = _words(
    "invention creation introduction development discovery isolation refinement foundation establishment formation publication release",
)
# "this era" is the last event that was named.
ERAS = _words("era period revolution conflict movement")
# Institutions and lands whose name goes on after "of": "University of Paris", "Sea of Tranquility".
OF_NAMES = (
    ORG_NOUNS
    | PLACE_NOUNS
    | EVENT_NOUNS
    | WORK_NOUNS
    | _words(
        "bank isthmus cape chamber cradle duchy field gate isle isles lord museum order prize republic statue strait tower treaty wealth internet theatre bill states earl duke baron marquess",
    )
)
ROLE_MODIFIERS = _words(
    "chief vice deputy prime managing general executive assistant associate honorary acting former senior co founding foreign first"
)
PERSON_ENDINGS = ("er", "or", "ist", "man", "woman", "ian", "ant", "ess", "eur", "wright", "smith", "ee", "eer", "ster")
PREPOSITIONS = _words(
    """about above across after against along among around as at before behind below beneath beside between beyond by
    concerning despite during for from in inside into like near of off on onto out outside over past
    since through throughout to toward towards under until up upon via with within without alongside amid""",
)
MALE_NAMES = _words(
    """adam adrian alan albert alexander alfred allen andrew anthony antonio arthur benjamin bernard bill bob brian bruce carl
    carlos charles chris christopher claude daniel david dennis diego dmitri donald douglas edgar edmund edward edwin
    elias emil eric ernest ernst eugene ferdinand francis francisco frank franz fred frederick friedrich gary gene george gerald
    giovanni giuseppe gordon graham gregory guglielmo gus gustav hans harold harry heinrich henri henry herbert hiroshi howard hugh
    hugo ian igor isaac ivan jack jacob jacques james jan jason jeff jean jeremy jerome jim joe johann john jonathan jorge
    jose joseph joshua juan julius karl keith kenneth kevin konrad kurt larry lawrence leo leonard leonardo lewis louis ludwig
    luca luis luke marc marco mario mark martin matthew max michael miguel mike mohammed muhammad nathan neil niccolò
    nicholas nicolas niels nikola nikolai noah oliver oscar otto owen pablo patrick paul pedro percy peter philip pierre ralph
    raymond richard robert roger ronald roy rudolf rupert samuel scott sean sebastian sergei simon stanley stefan stephen
    steve steven stuart theodore thomas tim timothy tom tony umberto victor vincent vladimir walter wally warren werner wernher wilhelm
    will william winston wolfgang yuri ahmed ali omar hassan ravi raj kenji wei tobias felix erik lars olaf anders""",
)
FEMALE_NAMES = _words(
    """agnes alice amanda amelia amy andrea angela anna anne annie audrey barbara beatrice bertha betty brenda carol
    caroline catherine cecilia charlotte christina christine claire clara coco diana diane dora doris dorothy edith eileen elaine
    eleanor elena elizabeth ella ellen emily emma emmy esther eva eve evelyn fatima fiona florence frances georgia gertrude
    gloria grace greta hannah harriet hedy helen helena henrietta ida ines ingrid irene irène isabel isabella jane janet
    jacqueline jean jennifer jenny jessica joan judith judy julia julie karen kate katherine kathleen katherine laura lise
    linda lisa louise lucy lydia madeleine margaret maria marie marilyn marion martha mary maud maya meg mei melissa mercedes
    michelle mildred miriam monica nancy naomi natalie nina nora olga olivia pamela patricia pauline priya rachel rebecca
    rita rosa rosalind rose ruth sally sandra sara sarah sharon sheila simone sofia sophia sophie stella susan
    sylvia tatiana teresa theresa ursula valentina vera victoria virginia vivian wendy yoko zoe ève astrid sigrid leila aisha ingeborg""",
)

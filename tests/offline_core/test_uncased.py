"""Scripts without capitals, and Russian cases: which names, which statements, and what must not become a name."""

from __future__ import annotations

import pytest

from tests.offline_core.test_core import document, entities, facts, run

Fact = tuple[str, str, str]

TEXTS: list[tuple[str, str, set[str], set[Fact], set[str]]] = [
    (
        "zh",
        (
            "郑和率领船队从苏州刘家港出发，最远到达非洲东海岸。郑和在古里去世，葬于南京牛首山。"
            "马欢是郑和的翻译，他撰写了《瀛涯胜览》。英国学者李约瑟介绍了郑和。中国政府纪念郑和。"
        ),
        {"郑和", "马欢", "李约瑟", "瀛涯胜览", "中国政府"},
        {("郑和", "到达", "非洲"), ("马欢", "翻译", "郑和"), ("马欢", "撰写", "瀛涯胜览"), ("李约瑟", "介绍", "郑和")},
        {"达非洲东海", "国政府", "到达非洲东海"},
    ),
    (
        "zh",
        (
            "玛丽·居里（Marie Curie）出生于华沙。1891年，她前往巴黎，就读于巴黎大学。浙江大学由杭州知府林启创办。"
            "玛丽·居里、皮埃尔·居里和亨利·贝克勒尔共同获得诺贝尔物理学奖。第一次世界大战期间，居里夫人参加救护。"
        ),
        {"玛丽·居里", "皮埃尔·居里", "居里夫人", "林启", "第一次世界大战"},
        {
            ("玛丽·居里", "出生于", "华沙"),
            ("玛丽·居里", "就读于", "巴黎大学"),
            ("林启", "创办", "浙江大学"),
            ("亨利·贝克勒尔", "获得", "诺贝尔物理学奖"),
        },
        {"Marie Curie", "获得诺贝尔物理学奖", "世界大战", "杭州知府林启"},
    ),
    (
        "ja",
        (
            "夏目漱石は帝国大学英文科を卒業した。1907年、朝日新聞社に入社した。正岡子規は漱石の親友である。"
            "鉄道技術研究所は東京と大阪を結ぶ超特急が可能だと述べた。漱石は修善寺で療養した。"
        ),
        {"夏目漱石", "正岡子規", "朝日新聞社"},
        {
            ("夏目漱石", "卒業", "帝国大学"),
            ("夏目漱石", "入社", "朝日新聞社"),
            ("正岡子規", "親友", "夏目漱石"),
            ("夏目漱石", "療養", "修善寺"),
        },
        {"漱石", "技術研究所", "旅客鉄道"},
    ),
    (
        "ko",
        (
            "마리 퀴리는 바르샤바에서 태어났다. 마리 퀴리는 소르본 대학교에 입학하였다. 1895년 마리 퀴리는 피에르 퀴리와 결혼하였다. "
            "피에르 퀴리는 파리에서 사망하였다. 장영실은 세종의 명을 받았다. 1443년 세종은 훈민정음을 창제하였다. "
            "파스퇴르 연구소와 파리 대학교는 라듐 연구소를 설립하였다."
        ),
        {"마리 퀴리", "피에르 퀴리", "소르본 대학교", "파스퇴르 연구소", "장영실"},
        {
            ("마리 퀴리", "태어나다", "바르샤바"),
            ("마리 퀴리", "입학하다", "소르본 대학교"),
            ("마리 퀴리", "결혼하다", "피에르 퀴리"),
            ("파리 대학교", "설립하다", "라듐 연구소"),
        },
        {"연구소", "대학교", "마리 퀴리는", "바르샤바에서"},
    ),
    (
        "ar",
        (
            "ولد ابن سينا في قرية أفشنة وتوفي في همدان. وكان أبو علي الحسين بن عبد الله بن سينا طبيبا. "
            "انتقل ابن سينا إلى خوارزم. حصل نجيب محفوظ على جائزة نوبل في الأدب عام 1988. "
            "قاد جمال عبد الناصر ومحمد نجيب ثورة 23 يوليو. القاهرة هي عاصمة جمهورية مصر العربية."
        ),
        {"ابن سينا", "أبو علي الحسين بن عبد الله بن سينا", "أفشنة", "نجيب محفوظ"},
        {
            ("ابن سينا", "ولد في", "أفشنة"),
            ("ابن سينا", "انتقل إلى", "خوارزم"),
            ("نجيب محفوظ", "حصل على", "جائزة نوبل في الأدب"),
            ("محمد نجيب", "قاد", "ثورة 23 يوليو"),
            ("القاهرة", "عاصمة", "جمهورية مصر العربية"),
        },
        {"قرية", "مدينة", "سينا"},
    ),
    (
        "hi",
        (
            "महात्मा गांधी का जन्म पोरबंदर में हुआ था। 1917 में महात्मा गांधी ने चंपारण सत्याग्रह का नेतृत्व किया। "
            "काशी हिन्दू विश्वविद्यालय की स्थापना मदन मोहन मालवीय ने 1916 में की। "
            "भारतीय अंतरिक्ष अनुसंधान संगठन (इसरो) बेंगलुरु में है। सतीश धवन इसरो के अध्यक्ष बने।"
        ),
        {"महात्मा गांधी", "काशी हिन्दू विश्वविद्यालय", "भारतीय अंतरिक्ष अनुसंधान संगठन"},
        {
            ("महात्मा गांधी", "जन्म", "पोरबंदर"),
            ("महात्मा गांधी", "नेतृत्व", "चंपारण सत्याग्रह"),
            ("मदन मोहन मालवीय", "स्थापना", "काशी हिन्दू विश्वविद्यालय"),
            ("सतीश धवन", "अध्यक्ष", "भारतीय अंतरिक्ष अनुसंधान संगठन"),
        },
        {"विश्वविद्यालय", "इसरो"},
    ),
    (
        "ru",
        (
            "Дмитрий Иванович Менделеев родился в Тобольске. Менделеев преподавал в Петербургском университете. "
            "Он работал с Робертом Бунзеном. Институт ядерной физики основал Герш Будкер. "
            "Хребет Ломоносова находится в Северном Ледовитом океане. В Москве находится Третьяковская галерея. "
            "Учебник написан по идее Менделеева."
        ),
        {"Роберт Бунзен", "Тобольск", "Северный Ледовитый океан"},
        {
            ("Дмитрий Иванович Менделеев", "родиться в", "Тобольск"),
            ("Дмитрий Иванович Менделеев", "преподавать в", "Петербургский университет"),
            ("Третьяковская галерея", "находиться в", "Москва"),
            ("Хребет Ломоносова", "находиться в", "Северный Ледовитый океан"),
        },
        {"Тобольске", "Менделеева", "Робертом Бунзеном", "Петербургском"},
    ),
]


@pytest.mark.parametrize(
    ("language", "text", "names", "said", "never"), TEXTS, ids=[f"{t[0]}-{t[1][:6]}" for t in TEXTS]
)
def test_names_and_statements(language: str, text: str, names: set[str], said: set[Fact], never: set[str]) -> None:
    outcome = run(document([("paragraph", text)]), language)
    assert names <= set(entities(outcome))
    assert said <= facts(outcome)
    assert not never & set(entities(outcome))


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("zh", "这座城市是我国重要的工业城市，许多国家的学者来到大学参观，政府也举行会议。"),
        ("ja", "大学や会社は都市に多く、政府は会議を開いた。高速鉄道は全国を結ぶ。"),
        ("ko", "정부는 도시에 학교와 연구소를 세웠다. 당시 많은 학자들이 나라에서 연구하였다."),
        ("ar", "بنت الدولة جامعة كبيرة في المدينة وكانت أكبر شركة نفط في العالم."),
        ("hi", "सरकार ने नगर में एक बड़ा विद्यालय बनाया और लोगों ने उसकी प्रशंसा की।"),
        ("ru", "Однако вскоре город стал большим. Первый завод открыли позже, а новый театр построили рядом."),
    ],
)
def test_common_nouns_are_no_names(language: str, text: str) -> None:
    assert not entities(run(document([("paragraph", text)]), language))


@pytest.mark.parametrize(
    ("language", "text", "fact"),
    [
        ("es", "Simón Bolívar viajó a París, donde conoció a Alexander von Humboldt.", ("Simón Bolívar", "conocer a", "Alexander von Humboldt")),
        ("es", "Gabriel García Márquez escribió la novela «El general en su laberinto».", ("Gabriel García Márquez", "escribir", "El general en su laberinto")),
        ("pt", "Juscelino Kubitschek fundou Brasília e Oscar Niemeyer projetou o Palácio da Alvorada.", ("Oscar Niemeyer", "projetar", "Palácio da Alvorada")),
        ("de", "Alexander von Humboldt reiste viel. Humboldt studierte an der Universität Göttingen. Humboldt lebte lange.", ("Alexander von Humboldt", "studieren an", "Universität Göttingen")),
        ("fr", "Gustave Eiffel est né à Dijon et mort à Paris.", ("Gustave Eiffel", "né à", "Dijon")),
    ],
)  # fmt: skip
def test_statements_of_languages_with_capitals(language: str, text: str, fact: Fact) -> None:
    assert fact in facts(run(document([("paragraph", text)]), language))


def test_a_town_named_after_a_saint_is_no_person() -> None:
    found = entities(run(document([("paragraph", "Simón Bolívar murió en Santa Marta. Viajó a Dijon y murió.")]), "es"))
    assert found["Santa Marta"].type == "place"

from worker.interfaces.cli.sessions import QUESTIONS, bundled, own


def test_the_bundled_conversation_is_one_users_and_its_late_turn_comes_last() -> None:
    sessions = bundled()
    turns = [turn for session in sessions for turn in session.turns]

    assert len({(turn.app, turn.user) for turn in turns}) == 1
    assert {turn.role for turn in turns} == {"user", "assistant"}
    assert len({turn.id for turn in turns}) == len(turns)
    assert [turn.said_at for turn in turns[:-1]] == sorted(
        turn.said_at for turn in turns[:-1] if turn.said_at
    )
    assert len(sessions[-1].turns) == 1
    assert sessions[-1].turns[0].said_at < turns[-2].said_at  # type: ignore[operator]


def test_the_bundled_conversation_can_be_another_users() -> None:
    assert {turn.user for session in bundled("demo-1") for turn in session.turns} == {"demo-1"}


def test_each_sentence_of_your_own_is_a_session() -> None:
    sessions = own(["I live in Oslo.", "I live in Oslo."])

    assert [len(session.turns) for session in sessions] == [1, 1]
    assert sessions[0].turns[0].id != sessions[1].turns[0].id


def test_the_questions_are_about_the_move_the_coffee_and_the_code() -> None:
    assert ["live" in QUESTIONS[0], "coffee" in QUESTIONS[1], "ERR_" in QUESTIONS[2]] == [True] * 3

from worker.core.step import BadReply


def test_what_the_model_is_told_stands_in_no_log_and_no_record() -> None:
    bad = BadReply("fact 1 ('Ann has HIV') cites no turn", at=2)

    assert (bad.told, bad.at) == ("fact 1 ('Ann has HIV') cites no turn", 2)
    assert str(bad) == "A reply broke the rules of its job."
    assert "HIV" not in f"{bad!r} {bad.args}"


def test_a_fault_may_be_named_plainly() -> None:
    assert str(BadReply("f1 ('Ann has HIV') is missing", plainly="missing: f1")) == "missing: f1"

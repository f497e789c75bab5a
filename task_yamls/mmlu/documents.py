"""MMLU, as a whole and by subject. task_yamls/generate.py writes three tasks for each subject here."""

from __future__ import annotations

from collections.abc import Iterator

from lm_eval_bertjudge.documents import Doc, choice, per_document


def _question(doc: Doc) -> Iterator[Doc]:
    """The config `auxiliary_train` has all columns inside one, `train`."""
    doc = doc.get("train") or doc
    yield choice(doc, doc["question"], doc["choices"], doc["answer"])


mmlu = per_document(_question)

abstract_algebra = per_document(_question, subject="abstract_algebra")
anatomy = per_document(_question, subject="anatomy")
astronomy = per_document(_question, subject="astronomy")
business_ethics = per_document(_question, subject="business_ethics")
clinical_knowledge = per_document(_question, subject="clinical_knowledge")
college_biology = per_document(_question, subject="college_biology")
college_chemistry = per_document(_question, subject="college_chemistry")
college_computer_science = per_document(_question, subject="college_computer_science")
college_mathematics = per_document(_question, subject="college_mathematics")
college_medicine = per_document(_question, subject="college_medicine")
college_physics = per_document(_question, subject="college_physics")
computer_security = per_document(_question, subject="computer_security")
conceptual_physics = per_document(_question, subject="conceptual_physics")
econometrics = per_document(_question, subject="econometrics")
electrical_engineering = per_document(_question, subject="electrical_engineering")
elementary_mathematics = per_document(_question, subject="elementary_mathematics")
formal_logic = per_document(_question, subject="formal_logic")
global_facts = per_document(_question, subject="global_facts")
high_school_biology = per_document(_question, subject="high_school_biology")
high_school_chemistry = per_document(_question, subject="high_school_chemistry")
high_school_computer_science = per_document(_question, subject="high_school_computer_science")
high_school_european_history = per_document(_question, subject="high_school_european_history")
high_school_geography = per_document(_question, subject="high_school_geography")
high_school_government_and_politics = per_document(
    _question, subject="high_school_government_and_politics"
)
high_school_macroeconomics = per_document(_question, subject="high_school_macroeconomics")
high_school_mathematics = per_document(_question, subject="high_school_mathematics")
high_school_microeconomics = per_document(_question, subject="high_school_microeconomics")
high_school_physics = per_document(_question, subject="high_school_physics")
high_school_psychology = per_document(_question, subject="high_school_psychology")
high_school_statistics = per_document(_question, subject="high_school_statistics")
high_school_us_history = per_document(_question, subject="high_school_us_history")
high_school_world_history = per_document(_question, subject="high_school_world_history")
human_aging = per_document(_question, subject="human_aging")
human_sexuality = per_document(_question, subject="human_sexuality")
international_law = per_document(_question, subject="international_law")
jurisprudence = per_document(_question, subject="jurisprudence")
logical_fallacies = per_document(_question, subject="logical_fallacies")
machine_learning = per_document(_question, subject="machine_learning")
management = per_document(_question, subject="management")
marketing = per_document(_question, subject="marketing")
medical_genetics = per_document(_question, subject="medical_genetics")
miscellaneous = per_document(_question, subject="miscellaneous")
moral_disputes = per_document(_question, subject="moral_disputes")
moral_scenarios = per_document(_question, subject="moral_scenarios")
nutrition = per_document(_question, subject="nutrition")
philosophy = per_document(_question, subject="philosophy")
prehistory = per_document(_question, subject="prehistory")
professional_accounting = per_document(_question, subject="professional_accounting")
professional_law = per_document(_question, subject="professional_law")
professional_medicine = per_document(_question, subject="professional_medicine")
professional_psychology = per_document(_question, subject="professional_psychology")
public_relations = per_document(_question, subject="public_relations")
security_studies = per_document(_question, subject="security_studies")
sociology = per_document(_question, subject="sociology")
us_foreign_policy = per_document(_question, subject="us_foreign_policy")
virology = per_document(_question, subject="virology")
world_religions = per_document(_question, subject="world_religions")

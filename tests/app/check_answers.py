#!/usr/bin/env python3
"""check_answers.py SCHEMAS ANSWERS: validates each JSON file of the folder ANSWERS against the schema of its name.

SCHEMAS holds "aotscope.run-2.json" for "aotscope.run/2". Prints a line for each thing that is wrong.
"""
import json
import pathlib
import sys

from jsonschema import Draft202012Validator

schemas, answers = map(pathlib.Path, sys.argv[1:])
validators = {}
for path in schemas.glob("*.json"):
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    validators[schema["title"]] = Draft202012Validator(schema)
wrong = 0
for path in sorted(answers.glob("*.json")):
    answer = json.loads(path.read_text())
    for error in validators[answer["schema"]].iter_errors(answer):
        wrong += 1
        print(f"{answer['schema']}: {error.json_path}: {error.message[:300]}")
sys.exit(1 if wrong else 0)

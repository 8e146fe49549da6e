"""`docs/http.md`, from what the service says of itself."""

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from worker.interfaces.http.app import PROBLEMS, described

HEAD = """\
# The HTTP API

Written by `make docs` from the service itself (`slowwave serve`), which serves the same at `/openapi.json`.

{about}
A key (`slowwave key add`) is sent as `Authorization: Bearer sw_…`; without any, only the machine itself is served. What
is not known, as a parameter or as a field, is refused. Beside what stands below, an answer may be
{problems}, each a [Problem](#problem).
"""
#: Told once, above.
WHOSE = {"app", "user"}


def http_page() -> str:
    """A section for each route, then one for each shape that they name."""
    found = described().openapi()
    problems = ", ".join(f"{code} ({one['description'].lower()})" for code, one in PROBLEMS.items())
    head = HEAD.format(about=found["info"]["description"], problems=problems)
    routes = "".join(
        _route(f"{method.upper()} {path}", route)
        for path, methods in found["paths"].items()
        for method, route in methods.items()
    )
    shapes = "".join(
        _shape(name, shape)
        for name, shape in sorted(found["components"]["schemas"].items())
        if "properties" in shape
    )
    return f"{head}{routes}\n# Shapes\n{shapes}"


def _route(name: str, route: Mapping[str, Any]) -> str:
    needs = [one for one in route.get("parameters", ()) if one["name"] not in WHOSE]
    is_scoped = any(one["name"] in WHOSE for one in route.get("parameters", ()))
    lines = [
        f"\n## {name}{'?app=…&user=…' if is_scoped else ''}\n",
        route["description"].strip(),
        "",
    ]
    if needs:
        rows = (f"| `{one['name']}` | {one['in']} | {_sorted(one)} |" for one in needs)
        lines += ["| parameter | in | type | meaning |", "|---|---|---|---|", *rows, ""]
    lines += [*_body(route.get("requestBody")), *_answers(route["responses"])]
    return "\n".join(lines).rstrip() + "\n"


def _sorted(parameter: Mapping[str, Any]) -> str:
    schema = parameter["schema"]
    return f"{_type(schema)} | {parameter.get('description', schema.get('description', ''))}"


def _body(body: Mapping[str, Any] | None) -> Iterator[str]:
    if body is None:
        return
    if told := body.get("description"):
        yield f"{told}\n"
    for kind, content in body["content"].items():
        yield f"Body (`{kind}`): {_type(content['schema'])}\n"
        examples = [content.get("example"), *content["schema"].get("examples", ())]
        for example in filter(None, examples):
            text = example if isinstance(example, str) else json.dumps(example, ensure_ascii=False)
            yield f"```json\n{text.strip()}\n```\n"


def _answers(responses: Mapping[str, Any]) -> Iterator[str]:
    for code, answer in sorted(responses.items()):
        shared = PROBLEMS.get(int(code), {}).get("description")
        if answer["description"] == shared:
            continue
        shape = answer.get("content", {}).get("application/json", {}).get("schema")
        told = answer["description"].replace("Successful Response", HTTPStatus(int(code)).phrase)
        yield f"* **{code}** {told}{f': {_type(shape)}' if shape else ''}"


def _shape(name: str, shape: Mapping[str, Any]) -> str:
    must = set(shape.get("required", ()))
    rows = (
        f"| `{field}`{' *' if field in must else ''} | {_type(one)} | {_meaning(one)} |"
        for field, one in shape["properties"].items()
    )
    lines = [f"\n## {name}\n", shape.get("description", "").strip(), ""]
    return "\n".join([*lines, "| field | type | meaning |", "|---|---|---|", *rows]) + "\n"


def _meaning(schema: Mapping[str, Any]) -> str:
    told = " ".join(schema.get("description", "").split())
    default = schema.get("default")
    return f"{told} `{json.dumps(default)}` unless given.".strip() if default else told


#: Words of JSON Schema → how a bound is told.
BOUNDS = {
    "minimum": "≥ {:g}",
    "exclusiveMinimum": "> {:g}",
    "maximum": "≤ {:g}",
    "maxLength": "≤ {:,} characters",
    "maxItems": "≤ {:,}",
    "maxProperties": "≤ {:,}",
}


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return "JSON" if name == "JsonValue" else f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_type, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{one}`" for one in schema.get("enum", [schema.get("const")]))
    told = str(schema.get("format", schema.get("type", "JSON")))
    if schema.get("type") == "array":
        told = f"list of {_type(schema.get('items', {}))}"
    if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
        told = f"object of {_type(schema['additionalProperties'])}"
    bounds = ", ".join(told.format(schema[word]) for word, told in BOUNDS.items() if word in schema)
    return f"{told} ({bounds})" if bounds else told

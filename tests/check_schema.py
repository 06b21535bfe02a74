"""Checks JSON files against a schema: types, constants, required members,
ranges; and no member that the schema does not describe.

usage: check_schema.py SCHEMA FILE...
"""
import json
import sys

TYPES = {
    "object": lambda x: isinstance(x, dict),
    "array": lambda x: isinstance(x, list),
    "string": lambda x: isinstance(x, str),
    "boolean": lambda x: isinstance(x, bool),
    "null": lambda x: x is None,
    "number": lambda x: isinstance(x, (int, float))
    and not isinstance(x, bool),
    "integer": lambda x: isinstance(x, int) and not isinstance(x, bool),
}
KNOWN = {"$schema", "$defs", "title", "description", "type", "required",
         "properties", "items", "$ref", "const", "enum", "minimum",
         "maximum", "exclusiveMinimum", "additionalProperties"}


class Checker:
    def __init__(self, schema):
        self.top = schema
        self.seen = set()

    def resolve(self, schema):
        while "$ref" in schema:
            node = self.top
            for key in schema["$ref"][2:].split("/"):
                node = node[key]
            schema = node
        return schema

    def check(self, schema, x, at):
        schema = self.resolve(schema)
        if set(schema) - KNOWN:
            sys.exit("the schema uses what this program does not know: %s"
                     % (set(schema) - KNOWN))
        self.seen.add(id(schema))
        if "type" in schema:
            types = schema["type"]
            types = [types] if isinstance(types, str) else types
            if not any(TYPES[t](x) for t in types):
                sys.exit("%s: %r is not of type %s" % (at, x, types))
        if "const" in schema and x != schema["const"]:
            sys.exit("%s: %r is not %r" % (at, x, schema["const"]))
        if "enum" in schema and x not in schema["enum"]:
            sys.exit("%s: %r is none of %s" % (at, x, schema["enum"]))
        if TYPES["number"](x):
            if "minimum" in schema and x < schema["minimum"]:
                sys.exit("%s: %r is below the minimum" % (at, x))
            if "maximum" in schema and x > schema["maximum"]:
                sys.exit("%s: %r is above the maximum" % (at, x))
            if "exclusiveMinimum" in schema \
                    and x <= schema["exclusiveMinimum"]:
                sys.exit("%s: %r is not above the minimum" % (at, x))
        if isinstance(x, dict):
            self.check_members(schema, x, at)
        if isinstance(x, list):
            for i, item in enumerate(x):
                self.check(schema["items"], item, "%s[%d]" % (at, i))

    def check_members(self, schema, x, at):
        known = schema.get("properties", {})
        more = schema.get("additionalProperties")
        for key in schema.get("required", []):
            if key not in x:
                sys.exit("%s: no %s" % (at, key))
        for key, value in x.items():
            if key not in known and not isinstance(more, dict):
                sys.exit("%s.%s is not described" % (at, key))
            self.check(known.get(key, more), value, "%s.%s" % (at, key))


def main():
    with open(sys.argv[1]) as f:
        checker = Checker(json.load(f))
    for path in sys.argv[2:]:
        with open(path) as f:
            checker.check(checker.top, json.load(f), path)


main()

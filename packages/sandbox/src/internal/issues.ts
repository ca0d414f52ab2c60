/** Mistakes in a document: the place, the rule, and the nearest known word. */
import * as Result from "effect/Result";
import type * as Schema from "effect/Schema";
import type * as AST from "effect/SchemaAST";
import * as SchemaIssue from "effect/SchemaIssue";
import * as SchemaParser from "effect/SchemaParser";
import { nearestOf } from "./words.ts";

/** A place of a document that breaks a rule. */
export interface Issue {
  /** Place of the invalid value, as a JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly message: string;
  /** The known word that is most similar to the unknown word, if there is a similar one. */
  readonly nearest?: string;
}

/** Parse options that report all mistakes, and unknown members as mistakes. */
const STRICT: AST.ParseOptions = {
  onExcessProperty: "error",
  errors: "all",
  reportInput: true,
};

/** Returns all mistakes in a value; none if the value fits the schema. */
export const issuesOf = (
  schema: Schema.ConstraintDecoder<unknown>,
  value: unknown,
  options: AST.ParseOptions = STRICT,
): ReadonlyArray<Issue> =>
  Result.match(SchemaParser.decodeUnknownResult(schema, options)(value), {
    onSuccess: () => [],
    onFailure: (issue) => flatten(issue),
  });

export const formatIssues = (issues: ReadonlyArray<Issue>): string =>
  issues
    .map(({ pointer, message }) => (pointer === "" ? message : `${pointer}: ${message}`))
    .join("; ");

type Path = ReadonlyArray<PropertyKey>;

/** Flattens a schema's issue into a list of places with their mistakes. */
export const flatten = (issue: SchemaIssue.Issue, path: Path = []): ReadonlyArray<Issue> => {
  switch (issue._tag) {
    case "Pointer":
      return flatten(issue.issue, [...path, ...issue.path]);
    case "Composite":
      return issue.issues.flatMap((one) => flatten(one, path));
    case "Filter":
      return issue.issue._tag === "Pointer"
        ? flatten(issue.issue, path)
        : [ofRule(path, ruleOf(issue))];
    case "AnyOf":
      return ofUnion(issue, path);
    case "MissingKey":
      return [told(path, "is missing", undefined)];
    case "UnexpectedKey": {
      const known = keysOf(issue.ast);
      const nearest = nearestOf(String(path.at(-1)), known);
      return [told(path, `unknown member; name one of ${known.join(", ")}`, nearest)];
    }
    case "InvalidValue":
      return [ofRule(path, ruleOf(issue))];
    default: {
      if ("ast" in issue && issue.ast._tag === "Never")
        return [told(path, "unknown member", undefined)];
      const known = "ast" in issue ? literalsOf(issue.ast) : [];
      return [told(path, ruleOf(issue), nearestWord(issue.input, known))];
    }
  }
};

/** Returns the issues of the union's member that fits best, because it was probably meant. */
const ofUnion = ({ ast, input, issues }: SchemaIssue.AnyOf, path: Path): ReadonlyArray<Issue> => {
  const literals = literalsOf(ast);
  if (literals.length > 0) {
    const nearest = nearestWord(input, literals);
    if (nearest !== undefined || literals.length === ast.types.length)
      return [told(path, expectedOf(ast), nearest)];
  }
  const kinds = ast.types.flatMap(kindOf);
  const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
  if (isObject && issues.length !== 1 && kinds.length === ast.types.length)
    return ofKinds(ast, input as Readonly<Record<string, unknown>>, kinds, path);
  const tried = issues.map((one) => flatten(one, path));
  const pointer = pointerOf(path);
  // Unknown members weigh more, because a document of another kind has other members.
  const weightOf = (one: Issue): number =>
    one.pointer === pointer ? 100 : one.message.startsWith("unknown member") ? 10 : 1;
  const score = (found: ReadonlyArray<Issue>): number =>
    found.reduce((sum, one) => sum + weightOf(one), 0);
  const [first, ...rest] = tried;
  if (first === undefined) return [told(path, expectedOf(ast), undefined)];
  return rest.reduce((one, other) => (score(other) < score(one) ? other : one), first);
};

/**
 * Reports a missing or unknown `kind` with the kinds that exist, and members whose names look like
 * a misspelt `kind`.
 */
const ofKinds = (
  ast: AST.Union,
  input: Readonly<Record<string, unknown>>,
  kinds: ReadonlyArray<string>,
  path: Path,
): ReadonlyArray<Issue> => {
  const known = [...new Set(ast.types.flatMap(keysOf))];
  const misspelt = Object.keys(input).filter(
    (name) =>
      input["kind"] === undefined && !known.includes(name) && nearestOf(name, known) === "kind",
  );
  const rule = `Expected one of ${kinds.join(", ")}`;
  return [
    ...misspelt.map((name) => told([...path, name], "unknown member", "kind")),
    told([...path, "kind"], rule, nearestWord(input["kind"], kinds)),
  ];
};

const told = (path: Path, rule: string, nearest: string | undefined): Issue => ({
  pointer: pointerOf(path),
  message: nearest === undefined ? rule : `${rule}; did you mean ${nearest}?`,
  ...(nearest !== undefined && { nearest }),
});

/** Makes an issue from a filter's message, which may end with the nearest word. */
const ofRule = (path: Path, rule: string): Issue => {
  const [, question] = rule.split("; did you mean ");
  const nearest = question?.endsWith("?") ? question.slice(0, -1) : undefined;
  return {
    pointer: pointerOf(path),
    message: rule,
    ...(nearest !== undefined && { nearest }),
  };
};

const nearestWord = (value: unknown, known: ReadonlyArray<string>): string | undefined =>
  typeof value === "string" ? nearestOf(value, known) : undefined;

const format = SchemaIssue.makeFormatterStandardSchemaV1();

/** Returns the broken rule without the value, which may be a secret. */
const ruleOf = (issue: SchemaIssue.Issue): string =>
  (format(issue).issues[0]?.message ?? "does not fit").replace(/, (?:got|actual) .*$/su, "");

/** Formats a path as a JSON Pointer (RFC 6901). */
export const pointerOf = (path: Path): string =>
  path.map((name) => `/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/** Formats the alternatives: "Expected one of generous, off or an object". */
const expectedOf = (ast: AST.Union): string => {
  const words = literalsOf(ast);
  const others = membersOf(ast).flatMap(({ _tag }) =>
    _tag === "Literal" || _tag === "Undefined" ? [] : (NAMES[_tag] ?? _tag.toLowerCase()),
  );
  const all = [...(words.length > 0 ? [`one of ${words.join(", ")}`] : []), ...new Set(others)];
  return `Expected ${all.join(" or ")}`;
};

const NAMES: Readonly<Record<string, string>> = { Arrays: "array", Objects: "object" };

const membersOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  ast._tag === "Union" ? ast.types.flatMap(membersOf) : [ast];

const keysOf = (ast: AST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : [];

const literalsOf = (ast: AST.AST): ReadonlyArray<string> =>
  membersOf(ast).flatMap((member) => (member._tag === "Literal" ? String(member.literal) : []));

const kindOf = (ast: AST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.flatMap(({ name, type }) => (name === "kind" ? literalsOf(type) : []))
    : [];

/** What the specification says of a type, and whether a value of the accepted type follows it. */
import type * as SchemaAST from "effect/SchemaAST";
import type { Deviation } from "./Deviation.ts";
import { formats } from "../../plain/formats.ts";
import { jsonTypeOf } from "../../plain/jsonTypeOf.ts";
import { nameOf } from "../../plain/explain.ts";
import { shapeOf } from "../shapeOf.ts";
import { type Spec, specOf } from "../wire.ts";
import type { DeploymentWords } from "./walk.ts";

type Found = Pick<Deviation, "kind" | "expected" | "actual">;

/** The deviation, or `undefined` if the value is as specified. */
export const leafDeviation = (
  spec: Spec,
  value: unknown,
  words: DeploymentWords,
): Found | undefined => {
  switch (spec.kind) {
    case "word":
    case "number-word":
      return (spec.words as ReadonlyArray<unknown>).includes(value) ||
        isDeploymentWord(spec, value, words)
        ? undefined
        : {
            kind: "unknown-word",
            expected: `one of ${spec.words.length} words`,
            actual: jsonTypeOf(value),
          };
    case "always-true":
      return value === true
        ? undefined
        : { kind: "always-true-violated", expected: "true", actual: "false" };
    case "format":
      return typeof value !== "string" || formats[spec.format](value)
        ? undefined
        : { kind: "other-form", expected: spec.format, actual: `string of length ${value.length}` };
    case "decimals":
      return Number((value as number).toFixed(spec.places)) === value
        ? undefined
        : {
            kind: "other-form",
            expected: `${spec.places} decimal places`,
            actual: "more decimal places",
          };
    case "range":
      return (value as number) >= spec.minimum && (value as number) <= spec.maximum
        ? undefined
        : {
            kind: "other-form",
            expected: `${spec.minimum} to ${spec.maximum}`,
            actual: "out of range",
          };
    default:
      return undefined;
  }
};

/** Whether the value is a deployment's word for one of the specification's realms. */
const isDeploymentWord = (spec: Spec, value: unknown, words: DeploymentWords): boolean =>
  spec.kind === "word" &&
  REALMS.some((realm) => words[realm] === value && spec.words.includes(realm));

const REALMS = ["console_a", "console_b", "game2"] as const;

/** The name of the documented type, which is the first of those that are accepted. */
export const documentedName = (ast: SchemaAST.AST): string => {
  if (ast._tag === "Union" && specOf(ast)[0]?.kind === "documented-first")
    return documentedName(ast.types[0]!);
  const [rest] = ast._tag === "Objects" ? ast.indexSignatures : [];
  if (ast._tag === "Objects" && ast.propertySignatures.length === 0 && rest !== undefined)
    return ["dictionary", documentedName(rest.type)].filter((name) => name !== "").join(" of ");
  return nameOf(shapeOf(ast));
};

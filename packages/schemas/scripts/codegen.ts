/**
 * Writes a plain record as a TypeScript module, from the record's schema: type, shape and check.
 *
 * The generated function walks the members that are there instead of asking for each member that
 * might be: an item of the stash stream has some twenty-five of its ninety-three keys. A member's
 * name is told apart by its length first and by comparison then. Other records are called through
 * their own modules, so that a bundle contains the checks it uses.
 *
 * Only what the record modules use is understood: structures that keep unknown members,
 * dictionaries, arrays, tuples, unions, literals and primitives. Anything else throws here, at
 * build time.
 */
import { Schema, SchemaAST } from "effect";
import {
  children,
  flatten,
  isAnyString,
  isRecursive,
  isStringLiteral,
  type Target,
} from "./nodes.ts";
import { shapeModule } from "./shapes.ts";
import { type Aliases, typeModule } from "./types.ts";

/** The modules that a generated one imports. */
export interface Places {
  /** The module of `makeRecord`. */
  readonly plainRecord: string;
  /** The module of the bound on nesting. */
  readonly depth: string;
  /** The module of the tests that all checks share. */
  readonly tests: string;
  /** The module of another record. */
  readonly record: (name: string) => string;
  /** Lines of the header that show the record in use. */
  readonly example: (name: string) => ReadonlyArray<string>;
  /** Whether the checks of other records are imported by themselves, or reached as `Record.is`. */
  readonly hasChecks: boolean;
}

/** The places within this package. */
export const OWN_PLACES: Places = {
  plainRecord: "../PlainRecord.ts",
  depth: "../depth.ts",
  tests: "../tests.ts",
  record: (name) => `./${name}.ts`,
  example: (name) => [
    " *",
    " * @example",
    " * ```ts",
    ` * import { ${name} } from "@game-data/schemas";`,
    " *",
    ` * const result = ${name}.safeDecode(null);`,
    ` * if (result.ok) throw new Error("null is no ${name}");`,
    " * ```",
  ],
  hasChecks: true,
};

/** The module of a plain record. */
export const moduleOf = (
  target: Target,
  targets: ReadonlyArray<Target>,
  aliases: Aliases = new Map(),
  places: Places = OWN_PLACES,
): string => new Module(target, targets, aliases, places).print();

const VALUE = "value";

/** So many members are told apart by comparison alone, which is shorter and as fast. */
const FEW_MEMBERS = 12;

/** So many members of one length are compared with those of other such lengths. */
const FEW_OF_A_LENGTH = 6;

class Module {
  readonly target: Target;
  readonly names: ReadonlyMap<SchemaAST.AST, string>;
  readonly recursive: ReadonlySet<string>;
  readonly imports = new Set<string>();
  readonly helpers = new Map<SchemaAST.AST, string>();
  readonly bodies = new Map<string, string>();
  readonly tests = new Set<string>();
  /** Number of lists of each record. */
  readonly lists = new Map<SchemaAST.AST, number>();

  readonly aliases: Aliases;
  readonly places: Places;

  constructor(target: Target, targets: ReadonlyArray<Target>, aliases: Aliases, places: Places) {
    this.target = target;
    this.aliases = aliases;
    this.places = places;
    this.names = new Map(targets.map(({ ast, name }) => [ast, name]));
    this.recursive = new Set(targets.filter(({ ast }) => isRecursive(ast)).map(({ name }) => name));
  }

  print(): string {
    const { name, ast } = this.target;
    this.countLists(ast);
    const main = this.node(ast, "check", this.depth(name));
    const helpers = [...this.bodies.values()];
    const needsDepth = this.recursive.has(name);
    const type = typeModule(this.target, this.names, this.aliases);
    const shape = shapeModule(this.target, this.names);
    const records = new Set([...this.imports, ...shape.records]);
    const { plainRecord, depth, record, hasChecks, tests } = this.places;
    const shorthands = Map.groupBy(type.aliases, ({ module }) => module);
    const description = SchemaAST.resolve(ast)?.["description"] ?? name;
    return [
      `/**`,
      ` * ${description}.`,
      ` *`,
      ` * Generated from the schema of \`${name}\` by \`pnpm generate\`. Not to be edited.`,
      ...this.places.example(name),
      ` */`,
      ...(needsDepth ? [`import { MAX_DEPTH } from "${depth}";`] : []),
      ...[
        ...Map.groupBy(
          [
            [plainRecord, "makeRecord", "type PlainRecord", "type Shape"],
            [tests, ...[...this.tests].toSorted()],
          ],
          ([module]) => module,
        ),
      ].flatMap(([module, all]) => {
        const imported = all.flatMap(([, ...found]) => found);
        return imported.length === 0 ? [] : [`import { ${imported.join(", ")} } from "${module}";`];
      }),
      ...[...shorthands].map(
        ([module, all]) =>
          `import type { ${all.map((alias) => alias.name).join(", ")} } from "${module}";`,
      ),
      ...[...new Set([...records, ...type.records])]
        .filter((other) => other !== name)
        .toSorted()
        .map((other) => {
          const check = this.imports.has(other) && hasChecks ? [`check as check${other}`] : [];
          const isValue = shape.records.has(other) || (this.imports.has(other) && !hasChecks);
          const value = isValue ? [other] : type.records.has(other) ? [`type ${other}`] : [];
          return `import { ${[...check, ...value].join(", ")} } from "${record(other)}";`;
        }),
      "",
      type.text,
      "",
      `const shape: Shape = ${shape.text};`,
      "",
      `/** ${description}. */`,
      `export const ${name}: PlainRecord<${name}> = /*#__PURE__*/ makeRecord("${name}", shape, check);`,
      "",
      ...helpers,
      `${hasChecks ? "/** The check alone; `depth` counts how deep the record is nested in itself. */\nexport " : ""}${main}`,
    ].join("\n");
  }

  /** Recursive records count how deep they stand; all others have no such parameter. */
  private depth(name: string): boolean {
    return this.recursive.has(name);
  }

  /** An expression that is true when `value` (an expression without effects) is accepted. */
  private test(ast: SchemaAST.AST, value: string): string {
    if (SchemaAST.isSuspend(ast)) return this.call(ast.thunk(), value, true);
    if (this.names.has(ast)) return this.call(ast, value, false);
    switch (ast._tag) {
      case "Any":
      case "Unknown":
        return "true";
      case "String":
        return plain(ast, `typeof ${value} === "string"`);
      case "Boolean":
        return plain(ast, `typeof ${value} === "boolean"`);
      case "Null":
        return `${value} === null`;
      case "Literal":
        return `${value} === ${JSON.stringify(ast.literal)}`;
      case "Number":
        return this.number(ast, value);
      case "Union":
        return this.union(ast, value);
      case "Arrays":
        if (isStrings(ast)) return this.shared("isStrings", value);
        return `${this.helper(ast)}(${value}${this.reaches(ast) ? ", depth" : ""})`;
      case "Objects":
        return `${this.helper(ast)}(${value}${this.reaches(ast) ? ", depth" : ""})`;
      default:
        throw new Error(`${this.target.name}: no check can be generated for ${ast._tag}`);
    }
  }

  /**
   * Statements that return false unless the value is accepted. A list that only one
   * member has is checked there instead of in a function of its own: a page has more lists than
   * anything else.
   */
  private demand(ast: SchemaAST.AST, value: string, level = 0): ReadonlyArray<string> {
    const type = withoutNull(ast);
    if (type._tag !== "Arrays" || this.names.has(type) || this.isShared(type)) {
      return [`if (!${group(this.test(ast, value))}) return false;`];
    }
    const lines = this.demandList(type, value, level);
    return type === ast ? lines : [`if (${value} !== null) {`, ...lines, "}"];
  }

  /** Whether a list is checked by a function, because there are several of its kind. */
  private isShared(ast: SchemaAST.Arrays): boolean {
    return isStrings(ast) || (this.lists.get(elementOf(ast)) ?? 0) > 1;
  }

  private countLists(ast: SchemaAST.AST): void {
    if (ast._tag === "Arrays") {
      const element = elementOf(ast);
      if (this.names.has(element)) this.lists.set(element, (this.lists.get(element) ?? 0) + 1);
    }
    for (const child of children(ast)) if (!this.names.has(child)) this.countLists(child);
  }

  /** A test that all modules share, which is half of what a bundle pays for them otherwise. */
  private shared(test: string, value: string): string {
    this.tests.add(test);
    return `${test}(${value})`;
  }

  private demandList(ast: SchemaAST.Arrays, value: string, level: number): ReadonlyArray<string> {
    const open = `if (!Array.isArray(${value})) return false;`;
    const [rest] = ast.rest;
    if (ast.elements.length > 0 || rest === undefined) {
      return [open, `if (!(${this.tupleTest(ast, value)})) return false;`];
    }
    const [index, element] = [`i${level}`, `element${level}`];
    return [
      open,
      `for (let ${index} = 0; ${index} < ${value}.length; ${index}++) {`,
      `const ${element}: unknown = ${value}[${index}];`,
      ...this.demand(rest, element, level + 1),
      "}",
    ];
  }

  private tupleTest(ast: SchemaAST.Arrays, value: string): string {
    const [rest] = ast.rest;
    if (rest !== undefined && rest._tag !== "Any")
      throw new Error("only Any may follow the elements");
    const length = `${value}.length ${rest === undefined ? "===" : ">="} ${ast.elements.length}`;
    const tests = ast.elements.map((element, index) => this.test(element, `${value}[${index}]`));
    return [length, ...tests].join(" && ");
  }

  private call(ast: SchemaAST.AST, value: string, deeper: boolean): string {
    const name = this.names.get(ast);
    if (name === undefined) throw new Error(`${this.target.name}: a suspended schema is no record`);
    const own = name === this.target.name;
    if (!own) this.imports.add(name);
    if (!own && !this.places.hasChecks) return `${name}.is(${value})`;
    const depth = deeper ? "depth + 1" : this.reachesTarget(name) ? "depth" : "0";
    return `${own ? "check" : `check${name}`}(${value}${this.depth(name) ? `, ${depth}` : ""})`;
  }

  /** Depth is counted within one record; the items of a tab begin anew. */
  private reachesTarget(name: string): boolean {
    return name === this.target.name;
  }

  private reaches(ast: SchemaAST.AST): boolean {
    if (SchemaAST.isSuspend(ast)) return true;
    if (this.names.has(ast)) return ast === this.target.ast;
    return children(ast).some((child) => this.reaches(child));
  }

  private number(ast: SchemaAST.Number, value: string): string {
    const test = numeric(ast);
    return test === "isUint" ? this.shared(test, value) : `Number.${test}(${value})`;
  }

  private union(ast: SchemaAST.Union, value: string): string {
    const hasString = ast.types.some(isAnyString);
    const members = ast.types
      .flatMap(flatten)
      .filter((type) => !(hasString && isStringLiteral(type)));
    const tests = [...new Set(members.map((type) => this.test(type, value)))];
    return tests.length === 1 ? tests[0]! : `(${tests.join(" || ")})`;
  }

  private helper(ast: SchemaAST.AST): string {
    const key = ast._tag === "Arrays" && this.isShared(ast) ? elementOf(ast) : ast;
    const known = this.helpers.get(key);
    if (known !== undefined) return known;
    const name = `part${this.helpers.size + 1}`;
    this.helpers.set(key, name);
    // Reserve the place: a helper's own helpers are printed before it.
    const body = this.node(ast, name, this.reaches(ast));
    this.bodies.set(name, body);
    return name;
  }

  private node(ast: SchemaAST.AST, name: string, depth: boolean): string {
    const head = `function ${name}(${VALUE}: unknown${depth ? ", depth: number" : ""}): boolean {`;
    return [head, ...this.body(ast, name === "check" && depth), "}", ""].join("\n");
  }

  private body(ast: SchemaAST.AST, guarded: boolean): ReadonlyArray<string> {
    const guard = guarded ? ["  if (depth > MAX_DEPTH) return false;"] : [];
    switch (ast._tag) {
      case "Objects":
        return [...guard, ...this.structure(ast)];
      case "Arrays":
        return [...guard, ...this.list(ast)];
      case "Union":
        return [...guard, `  return ${this.union(ast, VALUE)};`];
      default:
        throw new Error(`${this.target.name}: ${ast._tag} is no record`);
    }
  }

  private list(ast: SchemaAST.Arrays): ReadonlyArray<string> {
    return [...this.demandList(ast, VALUE, 0), "return true;"];
  }

  private structure(ast: SchemaAST.Objects): ReadonlyArray<string> {
    const [rest] = ast.indexSignatures;
    if (rest !== undefined && rest.parameter._tag !== "String")
      throw new Error(`${this.target.name}: a structure with other keys than strings`);
    const open = [`  if (!${this.shared("isObject", VALUE)}) return false;`];
    if (ast.propertySignatures.length === 0) {
      if (rest === undefined || rest.type._tag === "Any") return [...open, "  return true;"];
      return [
        ...open,
        `  for (const key in ${VALUE}) {`,
        `    const member = ${VALUE}[key];`,
        ...this.demand(rest.type, "member"),
        "  }",
        "  return true;",
      ];
    }
    if (rest !== undefined && rest.type._tag !== "Any")
      throw new Error("members and a dictionary in one structure");
    return [...open, ...this.members(ast)];
  }

  private members(ast: SchemaAST.Objects): ReadonlyArray<string> {
    const required = ast.propertySignatures.filter(isRequired).length;
    // Null is skipped where it means the same as absence: a required null member is not counted.
    const skipsNull = ast.propertySignatures.every(
      (signature) => isRequired(signature) !== acceptsNull(signature.type),
    );
    const tested = (type: SchemaAST.AST) => (skipsNull ? besidesNull(type) : type);
    // Members of one type share its test, which is half of what a bundle pays for a check.
    // Required members come first, for every record has them.
    const chain = (signatures: ReadonlyArray<SchemaAST.PropertySignature>) => [
      ...[
        ...Map.groupBy(requiredFirst(signatures), ({ type }) =>
          [SchemaAST.isOptional(type), ...this.demand(tested(type), "member")].join("\n"),
        ).values(),
      ].flatMap((alike, index) => {
        const { type } = alike[0]!;
        const names = alike.map(({ name }) => `key === ${JSON.stringify(name)}`);
        return [
          `        ${index === 0 ? "" : "} else "}if (${names.join(" || ")}) {`,
          ...this.demand(tested(type), "member"),
          ...(SchemaAST.isOptional(type) ? [] : ["          required++;"]),
        ];
      }),
      "        }",
    ];
    const byLength = [
      ...Map.groupBy(ast.propertySignatures, ({ name }) => String(name).length),
    ].toSorted(([a], [b]) => a - b);
    // Lengths of few members share a chain, for the types of their members repeat.
    const cases = byLength.flatMap(([length, signatures]) =>
      isFew(signatures) ? [] : [`      case ${length}:`, ...chain(signatures), "        break;"],
    );
    const few = byLength.flatMap(([, signatures]) => (isFew(signatures) ? signatures : []));
    const others = few.length === 0 ? [] : ["      default:", ...chain(few)];
    const statements =
      ast.propertySignatures.length <= FEW_MEMBERS
        ? chain(ast.propertySignatures)
        : ["    switch (key.length) {", ...cases, ...others, "    }"];
    return [
      ...(required === 0 ? [] : ["  let required = 0;"]),
      `  for (const key in ${VALUE}) {`,
      `    const member = ${VALUE}[key];`,
      ...(skipsNull && required < ast.propertySignatures.length
        ? ["    if (member === null) continue;"]
        : []),
      ...statements,
      "  }",
      required === 0 ? "  return true;" : `  return required === ${required};`,
    ];
  }
}

/** The one type besides null, or the node itself. */
const withoutNull = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union" || ast.checks !== undefined) return ast;
  const types = ast.types.filter(({ _tag }) => _tag !== "Null");
  return types.length === 1 && ast.types.length === 2 ? types[0]! : ast;
};

const isRequired = ({ type }: SchemaAST.PropertySignature): boolean => !SchemaAST.isOptional(type);

const isFew = (signatures: ReadonlyArray<unknown>): boolean => signatures.length <= FEW_OF_A_LENGTH;

const requiredFirst = (signatures: ReadonlyArray<SchemaAST.PropertySignature>) =>
  signatures.toSorted((a, b) => Number(isRequired(b)) - Number(isRequired(a)));

const acceptsNull = (ast: SchemaAST.AST): boolean =>
  flatten(ast).some(({ _tag }) => _tag === "Null" || _tag === "Any" || _tag === "Unknown");

/** The types besides null. */
const besidesNull = (ast: SchemaAST.AST): SchemaAST.AST => {
  if (ast._tag !== "Union" || ast.checks !== undefined) return ast;
  const types = ast.types.filter(({ _tag }) => _tag !== "Null");
  return types.length === 1 ? types[0]! : Schema.Union(types.map((type) => Schema.make(type))).ast;
};

const group = (expression: string): string =>
  /^(\(.*\)|\w+\([^()]*\))$/su.test(expression) ? expression : `(${expression})`;

const plain = (ast: SchemaAST.AST, test: string): string => {
  if (ast.checks !== undefined) throw new Error(`a check on ${ast._tag} that no code is known for`);
  return test;
};

/** The type of a list's elements, or the node itself where there is none. */
const elementOf = (ast: SchemaAST.Arrays): SchemaAST.AST =>
  ast.elements.length === 0 && ast.rest.length === 1 ? ast.rest[0]! : ast;

/** Whether the list holds strings alone, and any of them. */
const isStrings = (ast: SchemaAST.Arrays): boolean => {
  const element = elementOf(ast);
  return (
    isAnyString(element) &&
    flatten(element).every((type) => type._tag === "String" || isStringLiteral(type))
  );
};

/** The checks of `Schema.Int`, `Schema.Natural` and `Schema.Finite`, known by Effect's own ids. */
const numeric = (ast: SchemaAST.Number): "isFinite" | "isSafeInteger" | "isUint" => {
  const ids = (ast.checks ?? []).map((check) => {
    const { representation } = check.annotations ?? {};
    const { id, payload } = representation as { id: string; payload: { minimum?: number } | null };
    return payload === null ? id : `${id} ${payload.minimum}`;
  });
  switch (ids.join(", ")) {
    case "effect/schema/isFinite":
      return "isFinite";
    case "effect/schema/isInt":
      return "isSafeInteger";
    case "effect/schema/isInt, effect/schema/isGreaterThanOrEqualTo 0":
      return "isUint";
    default:
      throw new Error(`a check on numbers that no code is known for: ${ids.join(", ")}`);
  }
};

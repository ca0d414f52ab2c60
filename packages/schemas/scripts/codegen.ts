/**
 * Writes a plain record as a TypeScript module, from the record's schema: type, shape and check.
 *
 * The generated function walks the members that are there instead of asking for each member that
 * might be: an item of the stash stream has some twenty-five of its ninety-three keys. A member's
 * name is told apart by its length first and by comparison then. Other records are called through
 * their own modules, so that a bundle contains the checks it uses.
 *
 * The check is written from the shape, so the two cannot part. What no shape describes throws, at
 * build time.
 */
import { SchemaAST } from "effect";
import { fits } from "../src/plain/explain.ts";
import type { Shape } from "../src/plain/Shape.ts";
import {
  acceptsNull,
  besidesNull,
  printShape,
  reaches,
  shapeOfTarget,
  type Structure,
  tagged,
  type Target,
} from "./shapes.ts";
import { type Aliases, type PrintedType, typeModule } from "./types.ts";

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

type Lines = ReadonlyArray<string>;

class Module {
  readonly target: Target;
  readonly names: ReadonlyMap<SchemaAST.AST, string>;
  readonly shape: Shape;
  /** Records that contain themselves count how deep they stand; others have no such parameter. */
  readonly recursive: ReadonlySet<string>;
  readonly imports = new Set<string>();
  readonly helpers = new Map<string, string>();
  readonly bodies = new Map<string, string>();
  readonly tests = new Set<string>();
  readonly aliases: Aliases;
  readonly places: Places;

  constructor(target: Target, targets: ReadonlyArray<Target>, aliases: Aliases, places: Places) {
    this.target = target;
    this.aliases = aliases;
    this.places = places;
    this.names = new Map(targets.map(({ ast, name }) => [ast, name]));
    this.shape = shapeOfTarget(target, this.names);
    const contains = (one: Target) => reaches(shapeOfTarget(one, this.names));
    this.recursive = new Set(targets.filter(contains).map(({ name }) => name));
  }

  print(): string {
    const { name, ast } = this.target;
    const main = this.node(this.shape, "check", this.recursive.has(name));
    const records = new Set<string>();
    const shape = printShape(this.shape, (record) => records.add(record));
    const type = typeModule(this.target, this.names, this.aliases);
    const description = SchemaAST.resolve(ast)?.["description"] ?? name;
    const exported = this.places.hasChecks
      ? "/** The check alone; `depth` counts how deep the record is nested in itself. */\nexport "
      : "";
    return [
      `/**`,
      ` * ${description}.`,
      ` *`,
      ` * Generated from the schema of \`${name}\` by \`pnpm generate\`. Not to be edited.`,
      ...this.places.example(name),
      ` */`,
      ...this.importLines(records, type),
      "",
      type.text,
      "",
      `/** ${description}. */`,
      `export const ${name}: PlainRecord<${name}> = /*#__PURE__*/ makeRecord("${name}", ${shape}, check);`,
      "",
      ...this.bodies.values(),
      `${exported}${main}`,
    ].join("\n");
  }

  /** The imports: `records` are those of the shape. */
  private importLines(records: ReadonlySet<string>, type: PrintedType): Lines {
    const { depth, hasChecks, plainRecord, record, tests } = this.places;
    const named = [
      [plainRecord, "makeRecord", "type PlainRecord"],
      [tests, ...[...this.tests].toSorted()],
      ...type.aliases.map((alias) => [alias.module, `type ${alias.name}`]),
    ];
    const others = [...new Set([...this.imports, ...records, ...type.records])].toSorted();
    return [
      ...(this.recursive.has(this.target.name) ? [[depth, "MAX_DEPTH"]] : []),
      ...[...Map.groupBy(named, ([module]) => module)].map(([module, all]) => [
        module!,
        ...all.flatMap(([, ...found]) => found),
      ]),
      ...others
        .filter((other) => other !== this.target.name)
        .map((other) => {
          const isCalled = this.imports.has(other);
          const isValue = records.has(other) || (isCalled && !hasChecks);
          return [
            record(other),
            ...(isCalled && hasChecks ? [`check as check${other}`] : []),
            ...(isValue ? [other] : type.records.has(other) ? [`type ${other}`] : []),
          ];
        }),
    ].flatMap(([module, ...imported]) => {
      if (imported.length === 0) return [];
      const isType = imported.every((name) => name.startsWith("type "));
      const names = imported.map((name) => (isType ? name.slice(5) : name)).join(", ");
      return [`import ${isType ? "type " : ""}{ ${names} } from "${module}";`];
    });
  }

  /** An expression that is true when `value` (an expression without effects) is accepted. */
  private test(shape: Shape, value: string): string {
    const tests = [...new Set(this.alternatives(shape, value))];
    return tests.length === 1 ? tests[0]! : `(${tests.join(" || ")})`;
  }

  private alternatives(shape: Shape, value: string): Lines {
    if (typeof shape === "function") return [this.call(shape().name, value, true)];
    if (typeof shape === "string") return [...shape].map((letter) => this.leaf(letter, value));
    const [tag, ...parts] = tagged(shape) ?? [];
    if (tag === "@") return [this.call(parts[0].name, value, false)];
    if (tag === "=") return parts.map((word) => `${value} === ${JSON.stringify(word)}`);
    if (tag === "|") return parts.flatMap((part) => this.alternatives(part, value));
    if (tag === "?")
      return Object.values<Shape>(parts[2]).flatMap((part) => this.alternatives(part, value));
    if (tag === "[") return [this.each(parts[0], value)];
    return [`${this.helper(shape)}(${value}${reaches(shape) ? ", depth" : ""})`];
  }

  private leaf(letter: string, value: string): string {
    if (letter === "a") return "true";
    if (letter === "n") return `${value} === null`;
    if (letter === "u") return this.shared("isUint", value);
    if (letter === "f" || letter === "i")
      return `Number.${letter === "f" ? "isFinite" : "isSafeInteger"}(${value})`;
    return `typeof ${value} === "${letter === "s" ? "string" : "boolean"}"`;
  }

  /** A statement that returns false unless the value is accepted. */
  private demand(shape: Shape, value: string): string {
    return `if (!${group(this.test(shape, value))}) return false;`;
  }

  /** The test of a list. Depth, where elements count it, is the third argument of `isEach`. */
  private each(element: Shape, value: string): string {
    if (element === "s") return this.shared("isStrings", value);
    const isCall = /^([\w.]+)\(one(, (?:0|depth[ +\d]*))?\)$/u;
    const [, test = this.helper(element), depth = reaches(element) ? ", depth" : ""] =
      isCall.exec(this.test(element, "one")) ?? [];
    const each = this.shared("isEach", `${value}, ${test}${depth}`);
    // A list that may hold texts mostly holds nothing else, and costs less so.
    return fits(element, "") ? `(${this.shared("isStrings", value)} || ${each})` : each;
  }

  /** A test that all modules share, which is half of what a bundle pays for them otherwise. */
  private shared(test: string, value: string): string {
    this.tests.add(test);
    return `${test}(${value})`;
  }

  /** Depth is counted within one record; the items of a tab begin anew. */
  private call(name: string, value: string, isDeeper: boolean): string {
    const isOwn = name === this.target.name;
    if (name === "") throw new Error(`${this.target.name}: a suspended schema is no record`);
    if (!isOwn) this.imports.add(name);
    if (!isOwn && !this.places.hasChecks) return `${name}.is(${value})`;
    const depth = this.recursive.has(name) ? (isDeeper ? ", depth + 1" : ", 0") : "";
    return `${isOwn ? "check" : `check${name}`}(${value}${depth})`;
  }

  private helper(shape: Shape): string {
    const key = printShape(shape);
    const known = this.helpers.get(key);
    if (known !== undefined) return known;
    const name = `part${this.helpers.size + 1}`;
    this.helpers.set(key, name);
    // Reserve the place: a helper's own helpers are printed before it.
    const body = this.node(shape, name, reaches(shape));
    this.bodies.set(name, body);
    return name;
  }

  private node(shape: Shape, name: string, hasDepth: boolean): string {
    const depth = hasDepth ? ", depth: number" : "";
    const guard = name === "check" && hasDepth ? ["if (depth > MAX_DEPTH) return false;"] : [];
    const head = `function ${name}(${VALUE}: unknown${depth}): boolean {`;
    return [head, ...guard, ...this.body(shape), "}", ""].join("\n");
  }

  private body(shape: Shape): Lines {
    const [tag, inner, ...elements] = tagged(shape) ?? [];
    if (tag === "(") {
      const length = `${VALUE}.length ${inner ? "===" : ">="} ${elements.length}`;
      const tests = elements.map((element, index) => this.test(element, `${VALUE}[${index}]`));
      return [`return ${[`Array.isArray(${VALUE})`, length, ...tests].join(" && ")};`];
    }
    if (tag !== undefined && tag !== "{") return [`return ${this.test(shape, VALUE)};`];
    const open = `if (!${this.shared("isObject", VALUE)}) return false;`;
    if (tag === undefined) return [open, ...this.members(shape as Structure)];
    const each = [
      `for (const key in ${VALUE}) {`,
      `const member = ${VALUE}[key];`,
      this.demand(inner, "member"),
      "}",
    ];
    return [open, ...(inner === "a" ? [] : each), "return true;"];
  }

  private members(structure: Structure): Lines {
    const all = Object.entries(structure).map(([name, type]) => ({
      name: name.replace("?", ""),
      isRequired: !name.endsWith("?"),
      type,
    }));
    const required = all.filter(({ isRequired }) => isRequired).length;
    // Null is skipped where it means the same as absence: a required null member is not counted.
    const skipsNull = all.every(({ isRequired, type }) => isRequired !== acceptsNull(type));
    const demands = all.map((member) => ({
      ...member,
      lines: [
        this.demand(skipsNull ? besidesNull(member.type) : member.type, "member"),
        ...(member.isRequired ? ["required++;"] : []),
      ].join("\n"),
    }));
    return [
      ...(required === 0 ? [] : ["let required = 0;"]),
      `for (const key in ${VALUE}) {`,
      `const member = ${VALUE}[key];`,
      ...(skipsNull && required < all.length ? ["if (member === null) continue;"] : []),
      ...switchOf(demands),
      "}",
      required === 0 ? "return true;" : `return required === ${required};`,
    ];
  }
}

/** What is demanded of a member. */
interface Demand {
  readonly name: string;
  readonly isRequired: boolean;
  readonly lines: string;
}

/** Finds the member of a key: by its length first, where there are many. */
const switchOf = (demands: ReadonlyArray<Demand>): Lines => {
  if (demands.length <= FEW_MEMBERS) return chainOf(demands);
  const byLength = [...Map.groupBy(demands, ({ name }) => name.length)].toSorted(
    ([a], [b]) => a - b,
  );
  const isFew = (alike: ReadonlyArray<Demand>) => alike.length <= FEW_OF_A_LENGTH;
  // Lengths of few members share a chain, for the types of their members repeat.
  const few = byLength.flatMap(([, alike]) => (isFew(alike) ? alike : []));
  return [
    "switch (key.length) {",
    ...byLength.flatMap(([length, alike]) =>
      isFew(alike) ? [] : [`case ${length}:`, ...chainOf(alike), "break;"],
    ),
    ...(few.length === 0 ? [] : ["default:", ...chainOf(few)]),
    "}",
  ];
};

/**
 * Members of one type share its test, which is half of what a bundle pays for a check. Required
 * members come first, for every record has them.
 */
const chainOf = (demands: ReadonlyArray<Demand>): Lines => {
  const requiredFirst = demands.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
  const branches = [...Map.groupBy(requiredFirst, ({ lines }) => lines)];
  return [
    ...branches.flatMap(([lines, alike], index) => {
      const names = alike.map(({ name }) => `key === ${JSON.stringify(name)}`).join(" || ");
      return [`${index === 0 ? "" : "} else "}if (${names}) {`, lines];
    }),
    "}",
  ];
};

const group = (expression: string): string =>
  /^(\(.*\)|\w+\([^()]*\))$/su.test(expression) ? expression : `(${expression})`;

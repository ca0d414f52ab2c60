/**
 * Tests the options of a package through its exported names: each option with each value that it
 * cannot have. The options are read from the declarations, so a new option is tried as well. Vitest
 * reports unhandled rejections itself.
 */
import { readFileSync } from "node:fs";
import { parseSync } from "oxc-parser";

/** Values of which each option refuses at least one. */
export const VALUES: Readonly<Record<string, unknown>> = {
  NaN: Number.NaN,
  "-1": -1,
  "0": 0,
  text: "text",
  null: null,
  "{}": {},
};

/** Options with one wrong member. */
export interface Faulty<T> {
  readonly name: string;
  readonly member: string;
  readonly value: T;
}

/** `healthy` with each member set to each value that hardly any option takes. */
export const wrongValues = <T extends object>(
  healthy: T,
  members: ReadonlyArray<string>,
): ReadonlyArray<Faulty<T>> =>
  members.flatMap((member) =>
    Object.entries(VALUES).map(([fault, value]) => ({
      name: `${member} ${fault}`,
      member,
      value: { ...healthy, [member]: value },
    })),
  );

/** How an act ended: well, with an error of the package, with another, or not at all. */
export type Verdict = "ok" | `typed: ${string}` | `untyped: ${string}` | "no answer";

/** Waits for an act; errors whose `_tag` is among `tags` are the package's own. */
export const judge = async (
  act: () => unknown,
  { tags, within }: { readonly within: number; readonly tags: ReadonlySet<string> },
): Promise<Verdict> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Verdict>((resolve) => {
    timer = setTimeout(resolve, within, "no answer");
  });
  const ended = (async (): Promise<Verdict> => {
    try {
      await act();
      return "ok";
    } catch (error) {
      const tag = (error as { readonly _tag?: unknown } | undefined)?._tag;
      return typeof tag === "string" && tags.has(tag) ? `typed: ${tag}` : `untyped: ${error}`;
    }
  })();
  const verdict = await Promise.race([ended, late]);
  clearTimeout(timer);
  return verdict;
};

/** Judges all at once, and gives those that ended neither well nor with an error of the package. */
export const breaks = async <T>(
  cases: ReadonlyArray<Faulty<T>>,
  act: (value: T) => unknown,
  how: Parameters<typeof judge>[1],
): Promise<ReadonlyArray<string>> => {
  const verdicts = await Promise.all(
    cases.map(async ({ name, value }) => `${name}: ${await judge(() => act(value), how)}`),
  );
  return verdicts.filter((line) => /: (?:untyped: .*|no answer)$/s.test(line));
};

/** The members that an exported interface of a source file declares itself. */
export const membersOf = (file: URL, name: string): ReadonlyArray<string> => {
  const { program } = parseSync(file.pathname, readFileSync(file, "utf8"));
  const found = program.body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" &&
    statement.declaration?.type === "TSInterfaceDeclaration" &&
    statement.declaration.id.name === name
      ? statement.declaration.body.body
      : [],
  );
  if (found.length === 0) throw new Error(`${file.pathname} exports no interface ${name}`);
  return found.flatMap((member) =>
    (member.type === "TSPropertySignature" || member.type === "TSMethodSignature") &&
    member.key.type === "Identifier"
      ? [member.key.name]
      : [],
  );
};

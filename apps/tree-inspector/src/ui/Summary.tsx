/** Summarises a link, and copies it to the clipboard. */
import type { TreeLink } from "@game-data/tree-link";
import { ALTERNATE_ASCENDANCIES, CLASSES } from "@game-data/tree-link/class-names";
import type { FoundPayload } from "@game-data/tree-link/url";
import { useState } from "preact/hooks";
import { titleOf } from "../model/titles.ts";

interface Props {
  readonly found: FoundPayload;
  readonly link: TreeLink;
  readonly canonical: string;
}

const isAtlas = (link: TreeLink) => link.class === 0 && link.ascendancy === 0;

const factsOf = (
  found: FoundPayload,
  link: TreeLink,
): ReadonlyArray<readonly [string, string | number | undefined]> => [
  [titleOf("version"), link.version],
  ["Game version", found.gameVersion],
  ["Variant", found.variant],
  ["Tree", found.tree ?? (isAtlas(link) ? "passive or atlas (the bytes do not tell)" : "passive")],
  [titleOf("class"), `${link.class} (${CLASSES[link.class] ?? "not a known class"})`],
  [titleOf("ascendancy"), link.ascendancy],
  [
    titleOf("alternateAscendancy"),
    link.version === 6 ? secondAscendancy(link.alternateAscendancy) : undefined,
  ],
  [titleOf("fullscreen"), link.version === 4 ? (link.fullscreen === 1 ? "yes" : "no") : undefined],
  [titleOf("hashes"), link.hashes.length],
  [titleOf("extendedHashes"), link.version === 4 ? undefined : link.extendedHashes.length],
  [titleOf("masteries"), link.version === 6 ? link.masteries.length : undefined],
];

/** Shows the main facts of a link, and buttons that copy it. */
export const Summary = ({ canonical, found, link }: Props) => {
  const { copied, copy } = useCopy();
  const copies = {
    payload: canonical,
    JSON: JSON.stringify(link, null, 2),
    nodes: link.hashes.join(", "),
    address: location.href,
  };
  return (
    <section class="card" aria-label="Summary" id="outcome" tabIndex={-1}>
      <h2>{headline(link)}</h2>
      <dl class="facts">
        {factsOf(found, link).map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
      <p class="buttons">
        <span class="muted" aria-hidden="true">
          Copy
        </span>
        {Object.entries(copies).map(([label, text]) => (
          <button
            type="button"
            key={label}
            aria-label={copied?.label === label ? undefined : `Copy ${label}`}
            onClick={() => void copy(label, text)}
          >
            {copied?.label === label ? copied.text : label}
          </button>
        ))}
      </p>
    </section>
  );
};

const plural = (count: number, one: string, many = `${one}s`) =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];

/** Describes a link in one line: its class and the number of its nodes. */
const headline = (link: TreeLink): string => {
  const name = CLASSES[link.class] ?? `class ${link.class}`;
  const second = link.version === 6 ? ALTERNATE_ASCENDANCIES[link.alternateAscendancy] : "none";
  const parts = [
    `${name[0]!.toUpperCase()}${name.slice(1)}`,
    ...(link.ascendancy === 0 ? [] : [`ascendancy ${link.ascendancy}`]),
    ...(second === undefined || second === "none" ? [] : [second]),
    ...plural(link.hashes.length, "node"),
    ...(link.version === 4 ? [] : plural(link.extendedHashes.length, "cluster node")),
    ...(link.version === 6 ? plural(link.masteries.length, "mastery", "masteries") : []),
  ];
  return parts.join(" · ");
};

const secondAscendancy = (value: number) =>
  `${value} (${ALTERNATE_ASCENDANCIES[value] ?? "without a stated meaning"})`;

const SHOWN_MS = 1_500;

/** Result of the last copy to the clipboard. */
interface Copied {
  readonly label: string;
  readonly text: "Copied" | "Not allowed to copy";
}

/**
 * Returns a function that copies a text to the clipboard, and the result of the last copy. A page
 * has no clipboard if it was loaded over plain HTTP from another host, or if the user refuses it.
 */
const useCopy = () => {
  const [copied, setCopied] = useState<Copied>();
  const copy = async (label: string, text: string) => {
    const done = await write(text);
    setCopied({ label, text: done ? "Copied" : "Not allowed to copy" });
    setTimeout(() => setCopied(undefined), SHOWN_MS);
  };
  return { copied, copy };
};

const write = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};

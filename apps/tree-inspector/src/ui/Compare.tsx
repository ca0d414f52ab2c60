/**
 * Compares the link with a second one.
 */
import type { TreeLink } from "@game-data/tree-link";
import { compare, isSame } from "@game-data/tree-link/compare";
import { inspect } from "../model/Inspection.ts";
import { titleOf } from "../model/titles.ts";
import { Refusal } from "./Refusal.tsx";

interface Props {
  readonly link: TreeLink;
  readonly other: string;
  readonly onOther: (text: string) => void;
}

/** The field for a second link, and the differences. */
export const Compare = ({ link, onOther, other }: Props) => {
  const inspection = inspect(other);
  return (
    <section class="card" aria-label="Compare">
      <h2>Compare</h2>
      <label for="other">Second link</label>
      <textarea
        id="other"
        rows={2}
        spellcheck={false}
        value={other}
        onInput={(event) => onOther(event.currentTarget.value)}
      />
      {inspection.kind === "refused" && <Refusal {...inspection} onRepair={onOther} />}
      {inspection.kind === "link" && <Differences from={link} to={inspection.layout.link} />}
    </section>
  );
};

const Differences = ({ from, to }: { from: TreeLink; to: TreeLink }) => {
  const comparison = compare(from, to);
  if (isSame(comparison)) return <p role="status">Both links hold the same.</p>;
  return (
    <div role="status">
      {comparison.values.map((change) => (
        <p key={change.field}>
          {titleOf(change.field)}: {change.from} → {change.to}
        </p>
      ))}
      {comparison.reordered.map((list) => (
        <p key={list}>{titleOf(list)}: the same entries in another order</p>
      ))}
      {comparison.lists.map(({ added, list, removed }) => (
        <dl key={list} class="differences">
          <dt>{titleOf(list)}</dt>
          {added.length > 0 && (
            <dd class="added">
              {added.length} added: {added.join(", ")}
            </dd>
          )}
          {removed.length > 0 && (
            <dd class="removed">
              {removed.length} removed: {removed.join(", ")}
            </dd>
          )}
        </dl>
      ))}
    </div>
  );
};

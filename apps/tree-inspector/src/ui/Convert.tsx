/**
 * A link in another version: what it would lose is named, and it is converted only when that is
 * accepted.
 */
import { encode, type TreeLink, type TreeLinkVersion } from "@game-data/tree-link";
import { convert, losses } from "@game-data/tree-link/convert";

const VERSIONS: ReadonlyArray<TreeLinkVersion> = [4, 5, 6];

/** Buttons to the other versions. */
export const Convert = ({
  link,
  onPayload,
}: {
  link: TreeLink;
  onPayload: (payload: string) => void;
}) => (
  <section class="panel" aria-label="Convert">
    <h2>Convert</h2>
    <ul class="conversions">
      {VERSIONS.filter((version) => version !== link.version).map((version) => {
        const lost = losses(link, version);
        const names = lost
          .map(({ count, field }) => (count === 1 ? field : `${count} ${field}`))
          .join(", ");
        return (
          <li key={version}>
            <button
              type="button"
              onClick={() => onPayload(encode(convert(link, version, { allowLoss: true }).link))}
            >
              {lost.length === 0
                ? `To version ${version}`
                : `To version ${version}, losing ${names}`}
            </button>
          </li>
        );
      })}
    </ul>
  </section>
);

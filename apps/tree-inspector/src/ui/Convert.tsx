/** Converts the link to another version. Each button names the data that would be lost. */
import { encode, type TreeLink } from "@game-data/tree-link";
import { convert, losses, VERSIONS } from "@game-data/tree-link/convert";
import { formatLosses } from "@game-data/tree-link/text";
import { inWords } from "../model/titles.ts";

/** A button for each other version. */
export const Convert = ({
  link,
  onPayload,
}: {
  link: TreeLink;
  onPayload: (payload: string) => void;
}) => (
  <section class="card" aria-label="Convert">
    <h2>Convert</h2>
    <ul class="buttons">
      {VERSIONS.filter((version) => version !== link.version).map((version) => {
        const lost = losses(link, version);
        const names = inWords(formatLosses(lost));
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

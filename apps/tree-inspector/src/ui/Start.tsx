/** The first screen: examples of links, and what the page can do. */
import { encode } from "@game-data/tree-link";

const CHARACTER = encode({
  version: 6,
  class: 3,
  ascendancy: 2,
  alternateAscendancy: 1,
  hashes: [2151, 4397, 11420, 29353, 41415, 57264],
  extendedHashes: [0, 1, 3],
  masteries: [{ node: 41415, effect: 47642 }],
});

const EXAMPLES: ReadonlyArray<readonly [title: string, text: string, link: string]> = [
  ["A character's tree", "Version 6.1, with cluster jewels and a mastery", CHARACTER],
  ["An atlas tree", "The same format, of class 0", "AAAABgAAAfdPAAA="],
  ["An old link", "Version 4, without counts", "AAAABAYDAKvNAAE="],
  ["A link that was cut off", "The readable part, and where it breaks", CHARACTER.slice(0, 21)],
];

const ABILITIES: ReadonlyArray<readonly [title: string, text: string]> = [
  ["See every bit", "Point at a character: its byte and its field light up."],
  ["Repair a link", "A broken link shows its readable part, its fault, and possible repairs."],
  ["Edit and undo", "Type over a field, a byte or a character: the others follow."],
  ["Convert", "Write another version. The page names what it would lose."],
  ["Keep it to yourself", "Nothing is sent. The address holds the payload, never a name."],
];

/** Buttons for the examples, and a list of what the page can do. */
export const Start = ({ onExample }: { onExample: (link: string) => void }) => (
  <>
    <section aria-label="Examples">
      <h2>Paste a link, or look at one of these</h2>
      <ul class="cards">
        {EXAMPLES.map(([title, text, link]) => (
          <li key={title}>
            <button type="button" class="card" onClick={() => onExample(link)}>
              <strong>{title}</strong>
              <span>{text}</span>
              <code>{link}</code>
            </button>
          </li>
        ))}
      </ul>
    </section>
    <section aria-label="Abilities">
      <h2>What you can do here</h2>
      <dl class="cards abilities">
        {ABILITIES.map(([title, text]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  </>
);

/** The state of the page, which is its address: every view can be shared and goes back. */
import { useEffect, useState } from "preact/hooks";

/** Reads the address. */
const read = () => new URLSearchParams(location.search);

const CHANGED = "stash-index:address";

/** The parameters, and a function that changes some of them; an empty text removes one. */
export const useAddress = () => {
  const [parameters, setParameters] = useState(read);
  useEffect(() => {
    const listen = () => setParameters(read());
    addEventListener("popstate", listen);
    addEventListener(CHANGED, listen);
    return () => {
      removeEventListener("popstate", listen);
      removeEventListener(CHANGED, listen);
    };
  }, []);
  return { parameters, change: changeAddress };
};

/** Changes of the address. `mod` is repeatable. */
export type Change = Readonly<Record<string, string | ReadonlyArray<string>>>;

/** Goes to another state; while typing the last step is replaced. */
export const changeAddress = (change: Change, isTyping = false): void => {
  const address = hrefOf(change);
  if (address === `${location.pathname}${location.search}`) return;
  if (isTyping) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  dispatchEvent(new Event(CHANGED));
};

/** The address of a change, for links. */
export const hrefOf = (change: Change): string => {
  const parameters = read();
  for (const [name, value] of Object.entries(change)) {
    parameters.delete(name);
    for (const each of [value].flat()) if (each !== "") parameters.append(name, each);
  }
  const text = parameters.toString();
  return text === "" ? location.pathname : `${location.pathname}?${text}`;
};

/** A link that changes the state without loading the page. */
export const follow = (change: Change) => (event: MouseEvent) => {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  changeAddress(change);
};

/** The names of the filters, as the API has them. */
export const FILTERS = [
  "league",
  "q",
  "name",
  "base",
  "rarity",
  "ilvlMin",
  "ilvlMax",
  "socketsMin",
  "linksMin",
  "corrupted",
  "modText",
  "mod",
  "priceMin",
  "priceMax",
  "currency",
] as const;

/** The query of a search, made of the filters in the address. */
export const searchQuery = (parameters: URLSearchParams): string => {
  const query = new URLSearchParams();
  for (const name of FILTERS)
    for (const value of parameters.getAll(name)) query.append(name, value);
  return query.toString();
};

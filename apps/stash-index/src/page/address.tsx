/** The state of the page, which is its address: every view can be shared and goes back. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Reads the address. */
const read = () => new URLSearchParams(location.search);

const CHANGED = "stash-index:address";

/** The parameters of the address as it is now. */
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
  return parameters;
};

/** Changes of the address: an empty text removes a parameter. `mod` is repeatable. */
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
const hrefOf = (change: Change): string => {
  const parameters = read();
  for (const [name, value] of Object.entries(change)) {
    parameters.delete(name);
    for (const each of [value].flat()) if (each !== "") parameters.append(name, each);
  }
  const text = parameters.toString();
  return text === "" ? location.pathname : `${location.pathname}?${text}`;
};

interface LinkProps {
  readonly to: Change;
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link that changes the state without loading the page. */
export const Link = ({ children, isCurrent = false, to }: LinkProps) => (
  <a
    href={hrefOf(to)}
    aria-current={isCurrent ? "page" : undefined}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      changeAddress(to);
    }}
  >
    {children}
  </a>
);

/** Some of the parameters as the query of a request. */
export const queryOf = (parameters: URLSearchParams, names: Iterable<string>): string => {
  const query = new URLSearchParams();
  for (const name of names) for (const value of parameters.getAll(name)) query.append(name, value);
  return query.toString();
};

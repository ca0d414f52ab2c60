/** Tabs: one panel of several, reached by the pointer or by the arrow keys. */
import type { ComponentChildren } from "preact";

interface Props {
  readonly tabs: Readonly<Record<string, ComponentChildren>>;
  readonly current: string;
  readonly onCurrent: (name: string) => void;
}

/** The row of tabs, and the current panel. */
export const Tabs = ({ current, onCurrent, tabs }: Props) => {
  const names = Object.keys(tabs);
  const move = (step: number, list: Element) => {
    const next = (names.indexOf(current) + step + names.length) % names.length;
    onCurrent(names[next]!);
    (list.children[next] as HTMLElement).focus();
  };
  return (
    <>
      <div
        class="tabs"
        role="tablist"
        aria-label="Views"
        onKeyDown={(event) => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          move(step, event.currentTarget);
        }}
      >
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === current}
            aria-controls="panel"
            tabIndex={name === current ? 0 : -1}
            onClick={() => onCurrent(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id="panel" class="panel" role="tabpanel" aria-labelledby={`tab-${current}`}>
        {tabs[current]}
      </div>
    </>
  );
};

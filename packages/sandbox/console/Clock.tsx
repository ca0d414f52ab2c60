/** View of the virtual clock, with a button that resets the whole sandbox. */
import { useState } from "preact/hooks";
import { send } from "./api.ts";
import { Button, Card, Problem, useAction } from "./ui.tsx";

export interface Reading {
  readonly now: string;
  readonly frozen: boolean;
}

const STEPS = ["31 seconds", "5 minutes", "1 hour", "10 hours", "28 days"];

export const Clock = (props: {
  readonly reading: Reading | undefined;
  readonly onChange: () => Promise<unknown>;
}) => {
  const { problem, run } = useAction();
  const post = (path: string, body?: object) =>
    run(() => send("POST", path, body).then(props.onChange));
  const change = (body: object) => post("/clock", body);
  const isFrozen = props.reading?.frozen === true;
  return (
    <div class="grid">
      <Card title="Virtual time">
        <p class="now">{props.reading?.now.replace("T", " ").slice(0, 19) ?? "…"}</p>
        <p class="lead">{isFrozen ? "The clock is frozen." : "The clock is running."}</p>
        <div class="buttons">
          <Button
            class="primary"
            onClick={() => change(isFrozen ? { unfreeze: true } : { freeze: true })}
          >
            {isFrozen ? "Unfreeze" : "Freeze"}
          </Button>
          <Button onClick={() => change({ reset: true })}>Reset the clock</Button>
        </div>
      </Card>
      <Advance problem={problem} change={change} />
      <Card title="Sandbox">
        <p class="lead">
          Restores world, tokens, clock and policies. Removes all faults and the journal.
        </p>
        <div class="buttons">
          <Button onClick={() => post("/reset")}>Reset the sandbox</Button>
        </div>
      </Card>
    </div>
  );
};

const Advance = (props: {
  readonly problem: string | undefined;
  readonly change: (body: object) => void;
}) => {
  const [text, setText] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    props.change({ advance: text });
  };
  return (
    <Card title="Advance">
      <div class="buttons">
        {STEPS.map((step) => (
          <Button key={step} onClick={() => props.change({ advance: step })}>
            {step}
          </Button>
        ))}
        <Button onClick={() => props.change({ beforeHour: "3 seconds" })}>
          3 seconds before the hour
        </Button>
      </div>
      <form class="buttons" onSubmit={submit}>
        <label class="field">
          A duration
          <input
            value={text}
            placeholder="90 minutes"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button>Advance</button>
      </form>
      <Problem text={props.problem} />
    </Card>
  );
};

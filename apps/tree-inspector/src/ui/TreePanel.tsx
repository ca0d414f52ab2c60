/**
 * Draws the passive tree of a link from a data file that the user drops in. The page has no tree of
 * its own, fetches nothing and sends the file nowhere.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { PartialLink } from "@game-data/tree-link/partial";
import { parseTreeFile, TreeFileError, type TreeData } from "../model/TreeData.ts";

interface Props {
  readonly tree: TreeData | undefined;
  readonly link: Pick<PartialLink, "hashes" | "masteries">;
  readonly onTree: (tree: TreeData | undefined) => void;
}

/** The drawing, or the place to drop a file. */
export const TreePanel = ({ link, onTree, tree }: Props) => {
  const [problem, setProblem] = useState<string>();
  const [isOver, setOver] = useState(false);
  const open = async (file: File | undefined) => {
    setOver(false);
    if (file === undefined) return;
    try {
      onTree(parseTreeFile(file.name, await file.text()));
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof TreeFileError)) throw error;
      setProblem(error.message);
    }
  };
  return (
    <section
      class="card"
      aria-label="Tree"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        void open(event.dataTransfer?.files[0]);
      }}
    >
      <h2>Tree</h2>
      {tree === undefined ? (
        <p>
          Drop the game's <code>tree.json</code> here to see names and the tree. The file stays in
          this browser.
        </p>
      ) : (
        <Drawing tree={tree} link={link} />
      )}
      <div class="buttons">
        <label class="button">
          {tree === undefined ? "Choose a file" : "Another file"}
          <input
            type="file"
            accept=".json,application/json"
            class="visually-hidden"
            onChange={(event) => void open(event.currentTarget.files?.[0])}
          />
        </label>
        {tree !== undefined && (
          <button type="button" onClick={() => onTree(undefined)}>
            Forget {tree.fileName}
          </button>
        )}
      </div>
      {problem !== undefined && <p role="alert">{problem}</p>}
    </section>
  );
};

const SIZES = { normal: 26, jewel: 40, mastery: 34, notable: 44, keystone: 62 } as const;
const MARGIN = 200;

const Drawing = ({ link, tree }: { tree: TreeData; link: Props["link"] }) => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const allocated = new Set([...link.hashes, ...link.masteries.map(({ node }) => node)]);
  const known = tree.nodes.filter(({ id }) => allocated.has(id));
  const unknown = link.hashes.filter((hash) => !tree.nodes.some(({ id }) => id === hash));
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context) draw(context, tree, allocated);
  });
  const notable = known.filter(({ kind }) => kind === "keystone" || kind === "notable");
  return (
    <>
      <canvas
        ref={canvas}
        width={1200}
        height={1000}
        class="tree"
        role="img"
        aria-label={`${known.length} of ${allocated.size} nodes of the link, in a tree of ${tree.nodes.length}`}
      />
      <p>
        {known.length} nodes found in {tree.fileName}
        {unknown.length > 0 && `, ${unknown.length} not: ${unknown.slice(0, 20).join(", ")}`}.
      </p>
      {notable.length > 0 && (
        <ul class="buttons" aria-label="Keystones and notables">
          {notable.map(({ id, kind, name }) => (
            <li key={id} class="badge">
              {kind === "keystone" ? <strong>{name}</strong> : name}
            </li>
          ))}
        </ul>
      )}
    </>
  );
};

const draw = (
  context: CanvasRenderingContext2D,
  { nodes }: TreeData,
  allocated: ReadonlySet<number>,
) => {
  const { height, width } = context.canvas;
  const style = getComputedStyle(context.canvas);
  const [line, lit] = [style.getPropertyValue("--line"), style.getPropertyValue("--accent")];
  const xs = nodes.map(({ x }) => x);
  const ys = nodes.map(({ y }) => y);
  const [left, top] = [min(xs) - MARGIN, min(ys) - MARGIN];
  const scale = Math.min(width / (max(xs) + MARGIN - left), height / (max(ys) + MARGIN - top));
  const at = new Map(
    nodes.map((node) => [node.id, { x: (node.x - left) * scale, y: (node.y - top) * scale }]),
  );
  context.clearRect(0, 0, width, height);
  for (const isLit of [false, true]) {
    context.strokeStyle = context.fillStyle = resolve(context, isLit ? lit : line);
    context.lineWidth = isLit ? 3 : 1;
    context.beginPath();
    for (const { id, out } of nodes)
      for (const other of out) {
        const [from, to] = [at.get(id), at.get(other)];
        if (!from || !to || (allocated.has(id) && allocated.has(other)) !== isLit) continue;
        context.moveTo(from.x, from.y);
        context.lineTo(to.x, to.y);
      }
    context.stroke();
    for (const { id, kind } of nodes) {
      if (allocated.has(id) !== isLit) continue;
      const { x, y } = at.get(id)!;
      context.beginPath();
      context.arc(x, y, Math.max(isLit ? 3 : 1, SIZES[kind] * scale), 0, 2 * Math.PI);
      context.fill();
    }
  }
};

/** A canvas knows no `light-dark()`, so the browser computes the colour. */
const resolve = (context: CanvasRenderingContext2D, colour: string): string => {
  const probe = context.canvas;
  probe.style.color = colour;
  return getComputedStyle(probe).color;
};

const min = (values: ReadonlyArray<number>) => values.reduce((a, b) => Math.min(a, b), Infinity);
const max = (values: ReadonlyArray<number>) => values.reduce((a, b) => Math.max(a, b), -Infinity);

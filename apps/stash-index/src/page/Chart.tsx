/** A chart with the page's colours. uPlot is loaded with the first one. */
import { useEffect, useRef, useState } from "preact/hooks";
import type UPlotChart from "uplot";
import type { AlignedData, Options, Series } from "uplot";

/** One line or column of a chart. */
interface Line {
  readonly label: string;
  readonly values: ReadonlyArray<number | null>;
  /** `hidden` gives the scale its bounds and draws nothing. */
  readonly kind?: "line" | "bars" | "hidden" | undefined;
  /** Name of a colour of the visual language. */
  readonly color: "accent" | "good" | "bad" | "muted";
}

/** The course of one hour. */
export interface Candle {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

interface ChartProps {
  /** Describes the chart to people who cannot see it. */
  readonly label: string;
  readonly x: ReadonlyArray<number>;
  readonly lines: ReadonlyArray<Line>;
  /** One for each value of `x`. */
  readonly candles?: ReadonlyArray<Candle> | undefined;
  /** Whether `x` is seconds since 1970. */
  readonly isTime?: boolean;
  readonly height?: number;
}

/** Draws a chart as wide as its place. */
export const Chart = ({ candles, height = 180, isTime = true, label, lines, x }: ChartProps) => {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useScheme();
  useEffect(() => {
    let close: (() => void) | undefined;
    let isGone = false;
    const draw = async () => {
      const [{ default: UPlot }] = await Promise.all([
        import("uplot"),
        import("uplot/dist/uPlot.min.css"),
      ]);
      const element = place.current;
      if (isGone || element === null) return;
      const color = colorsOf(element);
      const width = () => Math.max(200, element.clientWidth);
      const grid = { stroke: color("line"), width: 1 };
      const axis = { stroke: color("muted"), grid, ticks: { show: false } };
      const options: Options = {
        width: width(),
        height,
        legend: { show: false },
        cursor: { y: false },
        scales: { x: { time: isTime } },
        axes: [
          { ...axis, show: isTime },
          { ...axis, size: 56 },
        ],
        hooks: candles === undefined ? {} : { draw: [drawCandles(candles, color)] },
        series: [{}, ...lines.map((line) => seriesOf(line, color(line.color), UPlot.paths.bars))],
      };
      const data = [x, ...lines.map(({ values }) => values)] as unknown as AlignedData;
      const chart = new UPlot(options, data, element);
      const observer = new ResizeObserver(() => chart.setSize({ width: width(), height }));
      observer.observe(element);
      close = () => {
        observer.disconnect();
        chart.destroy();
      };
    };
    void draw();
    return () => {
      isGone = true;
      close?.();
    };
  }, [x, lines, candles, scheme]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
};

const seriesOf = ({ kind, label }: Line, color: string, bars: unknown): Series => ({
  label,
  stroke: color,
  width: kind === "bars" ? 1 : 2,
  spanGaps: true,
  ...(kind === "hidden" ? { paths: () => null, points: { show: false } } : {}),
  ...(kind === "bars"
    ? {
        fill: color,
        paths: (bars as (options: object) => Series.PathBuilder)({ size: [0.8, 60] }),
        points: { show: false },
      }
    : {}),
});

/** Draws each candle: a thin line from low to high, and a body from open to close. */
const drawCandles =
  (candles: ReadonlyArray<Candle>, color: (name: string) => string) =>
  ({ ctx, data, valToPos }: UPlotChart): void => {
    const [start = 0] = data[0];
    const hour = valToPos(start + 3600, "x", true) - valToPos(start, "x", true);
    const width = Math.max(3, hour * 0.7);
    const at = (value: number) => valToPos(value, "y", true);
    ctx.save();
    for (const [index, { close, high, low, open }] of candles.entries()) {
      const x = valToPos(data[0][index]!, "x", true);
      ctx.fillStyle = color(close >= open ? "good" : "bad");
      ctx.fillRect(x - 0.5, at(high), 1, at(low) - at(high));
      const top = at(Math.max(open, close));
      ctx.fillRect(x - width / 2, top, width, Math.max(1, at(Math.min(open, close)) - top));
    }
    ctx.restore();
  };

/** Colours as a canvas takes them: computed, because the tokens depend on the scheme. */
const colorsOf = (element: HTMLElement) => (name: string) => {
  element.style.color = `var(--${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
};

const useScheme = (): boolean => {
  const [isDark, setDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const listen = () => setDark(query.matches);
    query.addEventListener("change", listen);
    return () => query.removeEventListener("change", listen);
  }, []);
  return isDark;
};

// Pictures as grids of mean colours. The browser decodes and encodes them, on a page of its own.
import type { Browser, Page } from "playwright";

const APART = 24; // of 255, in one of red, green and blue: two cells that differ

export class GridPage {
  readonly #page: Page;

  static async open(browser: Browser): Promise<GridPage> {
    return new GridPage(await browser.newPage());
  }

  private constructor(page: Page) {
    this.#page = page;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#page.close();
  }

  /** A PNG with a pixel for every cell of a PNG, `cell` px wide and high. */
  async gridOf(png: Buffer, cell: number): Promise<Buffer> {
    const grid = await this.#page.evaluate(reduce, { png: png.toString("base64"), cell });
    return Buffer.from(grid, "base64");
  }

  /** What part of the cells differs, and a picture of where: red on what is there now, pale. */
  async difference(now: Buffer, before: Buffer, cell: number): Promise<{ part: number; picture: Buffer }> {
    const given = { now: now.toString("base64"), before: before.toString("base64"), cell, apart: APART };
    const { part, picture } = await this.#page.evaluate(compare, given);
    return { part, picture: Buffer.from(picture, "base64") };
  }
}

/** Runs in the page. */
async function reduce({ png, cell }: { png: string; cell: number }): Promise<string> {
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes]));
  const from = new OffscreenCanvas(image.width, image.height).getContext("2d") as OffscreenCanvasRenderingContext2D;
  from.drawImage(image, 0, 0);
  const { data } = from.getImageData(0, 0, image.width, image.height);
  const [columns, rows] = [Math.ceil(image.width / cell), Math.ceil(image.height / cell)];
  const grid = new ImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const sum = [0, 0, 0];
      let count = 0;
      for (let y = row * cell; y < Math.min(image.height, (row + 1) * cell); y++) {
        const end = Math.min(image.width, (column + 1) * cell);
        for (let x = column * cell; x < end; x++, count++) {
          const pixel = 4 * (y * image.width + x);
          sum[0] += data[pixel];
          sum[1] += data[pixel + 1];
          sum[2] += data[pixel + 2];
        }
      }
      const at = 4 * (row * columns + column);
      for (let c = 0; c < 3; c++) grid.data[at + c] = 4 * Math.round(sum[c] / count / 4); // fewer colours, smaller files
      grid.data[at + 3] = 255;
    }
  }
  const to = new OffscreenCanvas(columns, rows);
  to.getContext("2d")?.putImageData(grid, 0, 0);
  const written = new Uint8Array(await (await to.convertToBlob()).arrayBuffer());
  return btoa(String.fromCharCode(...written));
}

interface Compared {
  now: string;
  before: string;
  cell: number;
  apart: number;
}

/** Runs in the page. Cells that only one of them has differ. */
async function compare({ now, before, cell, apart }: Compared): Promise<{ part: number; picture: string }> {
  const read = async (png: string) => {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(image.width, image.height).getContext(
      "2d",
    ) as OffscreenCanvasRenderingContext2D;
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await read(now), await read(before)];
  const [columns, rows] = [Math.max(a.width, b.width), Math.max(a.height, b.height)];
  const shown = new OffscreenCanvas(columns * cell, rows * cell);
  const draw = shown.getContext("2d") as OffscreenCanvasRenderingContext2D;
  let differ = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const [one, other] = [a, b].map(({ data, width, height }) => {
        const at = 4 * (row * width + column);
        return row < height && column < width ? data.slice(at, at + 3) : undefined;
      });
      const isSame = one && other && one.every((value, c) => Math.abs(value - other[c]) <= apart);
      if (!isSame) differ++;
      draw.fillStyle = isSame ? `rgb(${one.join(" ")} / 0.4)` : "rgb(220 0 0)";
      draw.fillRect(column * cell, row * cell, cell, cell);
    }
  }
  const written = new Uint8Array(await (await shown.convertToBlob()).arrayBuffer());
  let picture = "";
  for (const byte of written) picture += String.fromCharCode(byte);
  return { part: differ / (columns * rows), picture: btoa(picture) };
}

// One connection that asks and is answered, one request after the other, with as little work as it takes: the load must not cost more than the server.
// Answers must say their length, as Fastify's do.
import { connect, type Socket } from "node:net";

const ROOM = 65_536; // bytes read at once

export class HttpConnection {
  readonly #socket: Socket;
  #settle: ((status: number) => void) | undefined;
  #fail: ((error: Error) => void) | undefined;
  /** Bytes of the answer that are still to come; −1 while its head is. */
  #left = -1;
  #head = "";
  #status = 0;
  #body = "";
  #keeps = false;

  private constructor(port: number) {
    const buffer = Buffer.allocUnsafe(ROOM);
    this.#socket = connect({
      port,
      host: "127.0.0.1",
      onread: {
        buffer,
        callback: (bytes) => {
          this.#read(buffer, bytes);
          return true;
        },
      },
    });
    this.#socket.setNoDelay(true);
    this.#socket.once("error", (error) => this.#fail?.(error));
    this.#socket.once("close", () => this.#fail?.(new Error("the server has closed the connection")));
  }

  static open(port: number): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const connection = new HttpConnection(port);
      connection.#fail = reject;
      connection.#socket.once("connect", () => {
        connection.#fail = undefined;
        resolve(connection);
      });
    });
  }

  /** Sends a whole request as it stands; the status of its answer. */
  send(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#settle = resolve;
      this.#fail = reject;
      this.#socket.write(request, "latin1");
    });
  }

  /** As `send`, with what was answered. */
  async ask(request: string): Promise<{ status: number; body: string }> {
    this.#keeps = true;
    try {
      return { status: await this.send(request), body: this.#body };
    } finally {
      this.#keeps = false;
      this.#body = "";
    }
  }

  close(): void {
    this.#fail = undefined;
    this.#socket.destroy();
  }

  #read(buffer: Buffer, bytes: number): void {
    let from = 0;
    if (this.#left < 0) {
      this.#head += buffer.toString("latin1", 0, bytes);
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return;
      from = bytes - (this.#head.length - end - 4);
      this.#status = Number(this.#head.slice(9, 12));
      this.#left = lengthOf(this.#head.slice(0, end));
      this.#head = "";
    }
    if (this.#keeps) this.#body += buffer.toString("latin1", from, bytes);
    this.#left -= bytes - from;
    if (this.#left > 0) return;
    this.#left = -1;
    const settle = this.#settle;
    this.#settle = undefined;
    this.#fail = undefined;
    settle?.(this.#status);
  }
}

function lengthOf(head: string): number {
  const found = /\r\ncontent-length: (\d+)/i.exec(head);
  if (!found) throw new Error(`an answer without its length: ${head}`);
  return Number(found[1]);
}

/** A request as text, of ASCII alone. */
export function httpRequest(method: string, path: string, { port, body }: { port: number; body?: unknown }): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  const text = JSON.stringify(body);
  return `${head}content-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

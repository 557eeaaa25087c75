// The line to the engine: speaks, listens, and calls again when it is cut.

import { decode, type Command, type Frame, type Numbers, type SceneDescription, type Status } from "./protocol";

export interface Listener {
  scene(description: SceneDescription): void;
  status(status: Status): void;
  frame(frame: Frame): void;
  /** The numbers of a whole recording, by time [s]. */
  history(times: number[], numbers: Numbers[]): void;
  refused(message: string): void;
  /** Whether the line stands. */
  line(up: boolean): void;
}

/** What a page speaks to: an engine, or a recording that it carries. */
export interface Line {
  send(command: Command): void;
  /** Asks for kinds of data beyond poses. */
  watch(kinds: number): void;
}

export class Connection implements Line {
  private socket: WebSocket | null = null;
  private wait = 250;
  private closed = false;
  /** Kinds of data that are wanted, said again after each call. */
  private kinds = 0;

  /** `query` is asked for at each call, so that a restarted engine gets what is on the page now. */
  constructor(
    private readonly query: () => string,
    private readonly listener: Listener,
  ) {
    this.call();
  }

  private call(): void {
    const base = new URL(`ws?${this.query()}`, document.baseURI);
    base.protocol = base.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(base);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    socket.onopen = () => {
      this.wait = 250;
      this.listener.line(true);
      if (this.kinds) this.send({ do: "watch", kinds: this.kinds });
    };
    socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => this.hear(event.data);
    socket.onclose = () => {
      if (this.closed || this.socket !== socket) return;
      this.listener.line(false);
      setTimeout(() => this.call(), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
  }

  private hear(data: ArrayBuffer | string): void {
    if (typeof data !== "string") {
      this.listener.frame(decode(data));
      return;
    }
    const message = JSON.parse(data) as SceneDescription | Status | { type: "refused"; message: string };
    if (message.type === "scene") this.listener.scene(message);
    else if (message.type === "status") this.listener.status(message);
    else this.listener.refused(message.message);
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  /** Asks for kinds of data beyond poses. */
  watch(kinds: number): void {
    if (kinds === this.kinds) return;
    this.kinds = kinds;
    this.send({ do: "watch", kinds });
  }

  close(): void {
    this.closed = true;
    this.socket?.close();
  }
}

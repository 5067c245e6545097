/* Search runs in a worker, which browsers refuse to pages that are opened from a disk: there a frame takes its place. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      const inside = frame.contentWindow;
      // what the script posts arrives here, and what is posted to it there
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((done, failed) => {
        const script = inside.document.createElement("script");
        Object.assign(script, { src: url, onload: done, onerror: failed });
        inside.document.body.append(script);
      });
      this.inside = inside;
    }

    postMessage(data) {
      this.ready.then(() => this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data })));
    }
  };
  window.Worker = window.IFrameWorker;
}

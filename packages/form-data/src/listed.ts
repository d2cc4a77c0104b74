/** `listed`: forms that `/llms.txt` and `/api/v1/openapi.json` publish. */

import { formSegments } from '@form-relay/base/url';
import { apiPath } from '@form-relay/core/html/element_ids';
import { jsonAnswer } from '@form-relay/core/html/fragments';
import { publicAddress } from '@form-relay/core/http/request';
import type { Form, Plugin, PluginContext, RelayRequest, RelayResponse } from '@form-relay/core/index';
import { feature } from '@form-relay/core/plugin';
import type {} from '@form-relay/pages/look/index';
import { boolean } from '@form-relay/schema/scalars';
import { withDefault } from '@form-relay/schema/schema';

declare module '@form-relay/core/plugin' {
  interface Shared {
    /** All features, for their routes. */
    listed: readonly Feature[];
  }
  interface Provided {
    listed: readonly Feature[];
  }
}

const listed = feature({
  name: 'listed',
  keys: {
    form: {
      listed: withDefault(
        'false',
        'Whether `/llms.txt` and `/api/v1/openapi.json` list the form (docs/agents.md).',
        boolean(),
      ),
    },
  },
  configureTop: (_, __, { plugins }) => plugins.flatMap(({ features = [] }) => features),
  configure: ({ form: { listed }, shared = [] }) => (listed ? { provides: shared } : undefined),
});

type Show = (forms: readonly Form[], base: string) => RelayResponse | Promise<RelayResponse>;

/** A route that exists if at least one form is listed. */
const route = (address: string, show: Show) => ({
  matches: (path: string) => path === address,
  answer: async (request: RelayRequest, { config, settings }: PluginContext) => {
    const all = [...((await config.forms())?.values() ?? [])];
    const forms = all.filter(({ provided }) => provided.get('listed'));
    if (forms.length === 0) return jsonAnswer(404, { error: 'page not found' });
    return show(forms, publicAddress(request, settings.publicUrl) ?? request.mountPath ?? '');
  },
});

const signing =
  '- Sign what you send if you can (RFC 9421, Web Bot Auth): cover `@method`, `@target-uri`, `content-digest` and `signature-agent`, with `created`, `expires`, `keyid`, `nonce` and `tag="web-bot-auth"`.';

/** https://llmstxt.org */
const llmsText: Show = (forms, base) => {
  const lines = forms.map((form) => {
    const { id, title, firstLocale, provided } = form;
    const says = provided.get('look')?.description;
    const name = title === undefined ? id : firstLocale.text(title);
    const page = `${base}/f/${formSegments(id)}`;
    return `- [${name}](${apiPath(base, 'form', id)}?as=json): ${says ? `${firstLocale.text(says)} ` : ''}For people: ${page}`;
  });
  const knowsAgents = forms.some(({ provided }) => provided.get('agents' as never) !== undefined);
  const body = `# Forms

> Forms that you may fill in for a person. Each link leads to a form as JSON Schema, with the address to which it is sent, and a fresh timestamp.

## Forms

${lines.join('\n')}

## Rules

- Send only what the person for whom you act has seen and wants to send, in that person's name.
- Send the properties of the schema, the \`inputs\` and \`token\` of its \`x-form\`, and nothing else. Wait as long as \`wait_ms\` says.
- A form that asks for a captcha asks for a person: lead yours to its page.
- Status 200: it has arrived. Do not send it again. Status 422: correct the values that the answer names. Status 429 or 503: wait as long as \`Retry-After\` says.${knowsAgents ? `\n${signing}` : ''}

## API

- [OpenAPI 3.1](${base}/api/v1/openapi.json)
`;
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  return { status: 200, headers, body };
};

const openApiOf: Show = async (forms, base) => {
  const { openApi } = await import('./openapi.ts');
  return jsonAnswer(200, openApi(forms, forms[0]?.provided.get('listed') ?? [], base));
};

export const plugin: Plugin = {
  name: 'listed',
  features: [listed],
  publicRoutes: [route('/llms.txt', llmsText), route('/api/v1/openapi.json', openApiOf)],
};

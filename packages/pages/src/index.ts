/** Whole pages for browsers without htmx, problem details (RFC 9457), and forms for the element's script, loaded when needed. */

import { parseQuery } from '@form-relay/base/urlencoded';
import { fragmentAnswer } from '@form-relay/core/html/fragments';
import { type Asset, type Assets, assetAnswer, assetRoute } from '@form-relay/core/http/assets';
import type {
  Form,
  LocalizedText,
  Outcome,
  Plugin,
  Renderer,
  Submission,
  Values,
} from '@form-relay/core/index';
import { feature, type PublicRoute } from '@form-relay/core/plugin';
import { refused } from '@form-relay/core/submission';
import { httpUrl, label, localizedText } from '@form-relay/schema/scalars';
import { optional, schemaLike } from '@form-relay/schema/schema';
import messages from './messages.json' with { type: 'json' };
import { asksForProblem, asksForScript, isFromOwnPage, wantsFormPage, wantsPage } from './negotiation.ts';
import { pageView, scriptView } from './script_view.ts';

// The files that pages with forms load: the style, the element's script, and the parts that some forms need.

export const scripts = {
  form: async () => (await import('@form-relay/element/built/element')).elementCode,
  files: async () => (await import('@form-relay/element/built/files')).filesCode,
  steps: async () => (await import('@form-relay/element/built/steps')).stepsCode,
  guard: async () => (await import('@form-relay/element/built/guard')).guardCode,
  range: async () => (await import('@form-relay/element/built/range')).rangeCode,
  repeat: async () => (await import('@form-relay/element/built/repeat')).repeatCode,
  tel: async () => (await import('@form-relay/element/built/tel')).telCode,
  conditions: async () => (await import('@form-relay/element/built/conditions')).conditionsCode,
  again: async () => (await import('@form-relay/element/built/again')).againCode,
  messages: async () => (await import('@form-relay/element/built/messages')).messagesCode,
  fallback: async () => (await import('@form-relay/element/built/fallback')).fallbackCode,
  offline: async () => (await import('@form-relay/element/built/offline')).offlineCode,
  verify: async () => (await import('@form-relay/element/built/verify')).verifyCode,
} satisfies Plugin['scripts'];

const formStyle = async () => (await import('@form-relay/element/built/style')).formStyle.toString();

export const styles: Assets = { 'form.css': { type: 'text/css; charset=utf-8', text: formStyle } };

const sameForAll = assetRoute(styles);

/** `form.css?form=contact` also includes the design of that form. */
const styleRoute: PublicRoute = {
  ...sameForAll,
  answer: async (request, context) => {
    const id = parseQuery(request.query)?.get('form')?.[0];
    const form = id === undefined ? undefined : (await context.config.forms())?.get(id);
    const own = form && styleOf(form);
    return own ? assetAnswer(own, request.headers['if-none-match']) : sameForAll.answer(request, context);
  },
};

const known = new WeakMap<Form, Asset>();

function styleOf(form: Form): Asset | undefined {
  const look = form.provided.get('look');
  if (!look) return undefined;
  const asset = known.get(form) ?? {
    ...(styles['form.css'] as Asset),
    text: async () => {
      const { siteLook } = await import('./look/style.ts');
      return (await formStyle()) + siteLook(form, look);
    },
  };
  known.set(form, asset);
  return asset;
}

declare module '@form-relay/core/plugin' {
  interface Provided {
    readonly redirect: LocalizedText;
    readonly thanks: Thanks;
    readonly failure_message: LocalizedText;
  }
}

/** The texts of `thanks` and `redirect_with`. */
export interface Thanks {
  /** Whether an entry redirects visitors to a page. */
  readonly redirects: boolean;
  /** The index of the first entry whose `when` applies; -1 if none does. */
  indexFor(values: Values): number;
  answer(submission: Submission, values: Values): Pick<Outcome, 'confirmation' | 'redirect'>;
}

const pageAnswers = () => import('./page_answers.ts');

const pages: Renderer = {
  name: 'page',
  matches: (request, form, shows) =>
    shows === 'form' ? wantsFormPage(request, form) : wantsPage(request, form, shows === 'error'),
  isOwnPage: isFromOwnPage,
  view: pageView,
  form: async (rendered, answering) => (await pageAnswers()).formPage(rendered, answering),
  outcome: async (outcome, answering) => (await pageAnswers()).outcomePage(outcome, answering),
};

/** Renders fragments for the element's script instead of htmx. */
const script: Renderer = {
  name: 'script',
  matches: (request, _, shows) => shows === 'form' && asksForScript(request),
  view: scriptView,
  form: ({ html }) => fragmentAnswer(200, html),
  outcome: async (outcome, answering) =>
    (await import('./problem_answers.ts')).problemAnswer(outcome, answering),
};

const problems: Renderer = {
  ...script,
  name: 'problem',
  isForServers: true,
  matches: (request, _, shows) => shows !== 'form' && asksForProblem(request),
};

/** The URL of a page to redirect visitors to, by language. */
export const redirectAddress = () =>
  localizedText(schemaLike(httpUrl(), (value, at) => httpUrl()(value, at)?.href));

const redirect = feature({
  name: 'redirect',
  keys: {
    form: {
      redirect: optional(
        'Page to redirect to instead of showing `confirmation`, except with htmx. Without `redirect`, forms in your own HTML show JSON, unless their `action` ends with `?as=page`.',
        redirectAddress(),
      ),
    },
  },
  configure: ({ form: { redirect } }) => (redirect === undefined ? undefined : { provides: redirect }),
  routes: [
    {
      // The page that follows a successful submission.
      name: 'sent',
      method: 'GET',
      answer: async ({ renderContext, respond }) =>
        (await pageAnswers()).sentPage(renderContext()) ?? respond(refused(410, 'sent_page_expired')),
    },
  ],
});

/** Adds the owner's text if sending failed for a reason that the visitor cannot fix. */
const withOwnersWords = (outcome: Outcome, words: LocalizedText): Outcome =>
  outcome.message &&
  (outcome.status >= 500 || [400, 403, 429].includes(outcome.status)) &&
  !outcome.ownersText
    ? { ...outcome, ownersText: words }
    : outcome;

const failureMessage = feature({
  name: 'failure_message',
  keys: {
    form: {
      failure_message: optional(
        'Text below the relay’s error if sending fails, such as `Call 555 0100`. Links as in `confirmation`, also `mailto:` and `tel:`.',
        localizedText(label()),
      ),
    },
  },
  configure: ({ form: { failure_message: words } }) =>
    words === undefined
      ? undefined
      : { provides: words, completeOutcome: (outcome) => withOwnersWords(outcome, words) },
});

export const pagesPlugin: Plugin = {
  name: 'pages',
  messages: { en: messages },
  renderers: [problems, pages, script],
  scripts,
  publicRoutes: [styleRoute],
  features: [failureMessage, redirect],
};

/** The files that pages load along with forms: the style, the element's script, and what it loads for some forms. */
import { parseQuery } from '@form-relay/base/urlencoded';
import { type Asset, type Assets, assetAnswer, assetRoute } from '@form-relay/core/http/assets';
import type { Form, Plugin } from '@form-relay/core/index';
import type { PublicRoute } from '@form-relay/core/plugin';

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

/** `form.css?form=contact` ends with the look of that form. */
export const styleRoute: PublicRoute = {
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

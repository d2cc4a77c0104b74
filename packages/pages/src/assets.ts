/** The files that pages load along with forms: the style, the element's script, and what it loads for some forms. */
import type { Assets } from '@form-relay/core/http/assets';
import type { Plugin } from '@form-relay/core/index';

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
  verify: async () => (await import('@form-relay/element/built/verify')).verifyCode,
} satisfies Plugin['scripts'];

export const styles: Assets = {
  'form.css': {
    type: 'text/css; charset=utf-8',
    text: async () => (await import('@form-relay/element/built/style')).formStyle.toString(),
  },
};

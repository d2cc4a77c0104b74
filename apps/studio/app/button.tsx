import type { ButtonHTMLAttributes } from 'preact';

/** Looks like a tool, unless its class says otherwise. */
export const Button = (props: ButtonHTMLAttributes) => <button type="button" class="tool" {...props} />;

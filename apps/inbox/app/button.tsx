import type { ButtonHTMLAttributes } from 'preact';

/** Looks like a tool, unless its class says otherwise. */
export const Button = (props: ButtonHTMLAttributes) => <button type="button" class="tool" {...props} />;

interface TroubleProps {
  readonly words: string;
  readonly button?: string;
  readonly onGo: () => void;
}

/** An error, and what to do about it. */
export const Trouble = ({ words, button = 'Try again', onGo }: TroubleProps) => (
  <div class="notice bad" role="alert">
    <p>{words}</p>
    <Button onClick={onGo}>{button}</Button>
  </div>
);

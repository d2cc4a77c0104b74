/** Forms, fields and dialogs shared by all parts of the page. */
import { Button, Icon, type IconName, Dialog as Modal } from '@form-relay/ui/controls';
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren, FormHTMLAttributes, TargetedEvent, VNode } from 'preact';
import { isBusy } from './message/message_now.ts';

type FormProps = FormHTMLAttributes & { readonly onGo: () => unknown };

/** A form that the script submits, not the browser. */
export const Form = ({ onGo, ...props }: FormProps) => (
  <form
    {...props}
    onSubmit={(event) => {
      event.preventDefault();
      void onGo();
    }}
  />
);

/** Attributes that bind a text `<input>` to a signal. */
export const typed = (text: Signal<string>) => ({
  autocomplete: 'off' as const,
  value: text.value,
  onInput: ({ currentTarget: { value } }: TargetedEvent<HTMLInputElement>) => {
    text.value = value;
  },
});

interface RadiosProps<T> {
  readonly legend: string;
  readonly of: Signal<T>;
  readonly options: readonly (readonly [value: T, words: ComponentChildren])[];
}

export const Radios = <T extends number>({ legend, of, options }: RadiosProps<T>) => (
  <fieldset class="options">
    <legend>{legend}</legend>
    {options.map(([value, words]) => (
      <label key={value}>
        <input type="radio" name={legend} checked={of.value === value} onChange={() => (of.value = value)} />
        {words}
      </label>
    ))}
  </fieldset>
);

interface IconTagProps {
  readonly icon: IconName;
  readonly words: string;
  readonly title?: string;
  readonly class?: string;
}

/** A tag that shows only its icon. */
export const IconTag = ({ icon, words, title = words, ...others }: IconTagProps) => (
  <span class={`tag ${others.class ?? ''}`} title={title}>
    <Icon name={icon} />
    <span class="unseen">{words}</span>
  </span>
);

interface TimeProps {
  readonly at: number;
  readonly format: (at: number) => string;
  readonly title?: string;
}

export const Time = ({ at, format, title }: TimeProps) => (
  <time dateTime={new Date(at).toISOString()} title={title}>
    {format(at)}
  </time>
);

/** The dialog on screen. */
export const dialog = signal<VNode | undefined>(undefined);
export const close = () => {
  dialog.value = undefined;
};

interface DialogProps {
  readonly title: string;
  readonly children: ComponentChildren;
}

export const Dialog = (props: DialogProps) => <Modal {...props} onClose={close} />;

interface ButtonsProps {
  readonly words: string;
  readonly disabled?: boolean;
}

/** The last row of a dialog's form: cancel and submit. */
export const FormButtons = ({ words, disabled = false }: ButtonsProps) => (
  <div class="buttons">
    <Button onClick={close}>Cancel</Button>
    <button type="submit" class="main" disabled={disabled}>
      {words}
    </button>
  </div>
);

interface ConfirmProps {
  readonly words: string;
  readonly isBad?: boolean;
  readonly onGo: () => unknown;
}

/** Closes the dialog; unless cancelled, also runs the action. */
export const Confirm = ({ words, isBad = false, onGo }: ConfirmProps) => (
  <div class="buttons">
    <Button onClick={close}>Cancel</Button>
    <Button
      class={isBad ? 'main bad' : 'main'}
      disabled={isBusy.value}
      onClick={() => {
        close();
        void onGo();
      }}
    >
      {words}
    </Button>
  </div>
);

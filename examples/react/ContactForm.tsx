import { type SubmitError, submitForm } from 'form-relay/client';
import { type FormEvent, useState } from 'react';

const address = 'https://forms.example.com/api/v1/submit/contact';

export function ContactForm() {
  const [isSending, setSending] = useState(false);
  const [errors, setErrors] = useState<readonly SubmitError[]>([]);
  const [message, setMessage] = useState('');
  const [confirmation, setConfirmation] = useState('');

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    const result = await submitForm(address, event.currentTarget);
    setSending(false);
    setErrors(result.kind === 'invalid' ? result.errors : []);
    setMessage(result.kind === 'failed' ? result.message : '');
    if (result.kind === 'sent') setConfirmation(result.confirmation);
  }

  const error = (field: string) => errors.find((one) => one.field === field)?.message;
  if (confirmation) return <p role="status">{confirmation}</p>;
  return (
    <form onSubmit={send} noValidate>
      <Field name="name" label="Name" error={error('name')} />
      <Field name="email" label="E-mail" error={error('email')} />
      <Field name="message" label="Message" error={error('message')} />
      <input name="website" tabIndex={-1} autoComplete="off" hidden />
      <p role="alert">{message}</p>
      <button type="submit">{isSending ? 'Sending…' : 'Send'}</button>
    </form>
  );
}

interface FieldProps {
  name: string;
  label: string;
  error: string | undefined;
}

function Field({ name, label, error }: FieldProps) {
  return (
    <p>
      <label htmlFor={name}>{label}</label>
      <input id={name} name={name} aria-invalid={!!error} aria-describedby={`${name}-error`} />
      <span id={`${name}-error`}>{error}</span>
    </p>
  );
}

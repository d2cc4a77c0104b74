import { useForm } from 'react-hook-form';
import { send } from './send.ts';

interface Values {
  name: string;
  email: string;
  topics: string[];
  seats: number;
  consent: boolean;
}

/** The form has `bodies: [json]`. An empty number is `NaN` here and `null` in JSON, which stands for no value. */
export function HookForm() {
  const { register, handleSubmit, setError, formState } = useForm<Values>();
  const { errors, isSubmitting, isSubmitSuccessful } = formState;
  const onSubmit = handleSubmit(async (values) => {
    try {
      for (const { field, message } of await send(values)) setError(field as keyof Values, { message });
    } catch {
      setError('root', { message: 'The form could not be sent. Please try again.' });
    }
  });
  if (isSubmitSuccessful) return <p role="status">Thank you.</p>;
  return (
    <form onSubmit={onSubmit} noValidate>
      <label>
        Name <input {...register('name')} />
      </label>
      <p>{errors.name?.message}</p>
      <label>
        Email <input {...register('email')} type="email" />
      </label>
      <p>{errors.email?.message}</p>
      <label>
        <input {...register('topics')} type="checkbox" value="sales" /> Sales
      </label>
      <label>
        <input {...register('topics')} type="checkbox" value="press" /> Press
      </label>
      <p>{errors.topics?.message}</p>
      <label>
        Seats <input {...register('seats', { valueAsNumber: true })} type="number" />
      </label>
      <p>{errors.seats?.message}</p>
      <label>
        <input {...register('consent')} type="checkbox" /> You may write to me
      </label>
      <p role="alert">{errors.root?.message}</p>
      <button type="submit" disabled={isSubmitting}>
        Send
      </button>
    </form>
  );
}

import { useState } from 'react';

/** The owner's own markup, rendered again on each key press. */
export function Own() {
  const [message, setMessage] = useState('');
  return (
    <form
      action="https://forms.example.com/api/v1/submit/contact?as=page"
      method="post"
      data-form-relay="contact"
    >
      <p>
        <label>
          Name <input name="name" autoComplete="name" required />
        </label>
      </p>
      <p>
        <label>
          Email <input name="email" type="email" autoComplete="email" required />
        </label>
      </p>
      <p>
        <label>
          Message{' '}
          <textarea
            name="message"
            required
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        </label>
      </p>
      <form-extra hidden inert>
        <label>
          Leave this empty <input name="website" autoComplete="off" />
        </label>
      </form-extra>
      <p>{message.length} letters</p>
      <button type="submit">Send</button>
    </form>
  );
}

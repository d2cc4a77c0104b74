import { useState } from 'react';

/** The owner's own markup, rendered again with each key. */
export function Own() {
  const [message, setMessage] = useState('');
  return (
    <form
      action="https://forms.example.com/api/v1/submit/contact?as=page"
      method="post"
      data-form-relay="contact"
    >
      <fieldset>
        <legend>Kind</legend>
        {['personal', 'business'].map((kind) => (
          <label key={kind}>
            <input type="radio" name="kind" value={kind} required /> {kind}
          </label>
        ))}
      </fieldset>
      <p>
        <label htmlFor="company">Company</label> <input id="company" name="company" />
      </p>
      <p>
        <label htmlFor="email">Email</label> <input id="email" name="email" type="email" required />
      </p>
      <p>
        <label htmlFor="message">Message</label>{' '}
        <textarea
          id="message"
          name="message"
          required
          value={message}
          onChange={(event) => setMessage(event.target.value)}
        />
      </p>
      <p>{message.length} letters</p>
      <button type="submit">Send</button>
    </form>
  );
}

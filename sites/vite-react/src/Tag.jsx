import { useState } from 'react';

/** Rendered again while the form stands in it. */
export function Tag() {
  const [count, setCount] = useState(0);
  return (
    <section onInput={() => setCount(count + 1)}>
      <relay-form src="https://forms.example.com/api/v1/form/contact">
        <a href="https://forms.example.com/api/v1/form/contact?as=page">Write to us</a>
      </relay-form>
      <p>{count} changes</p>
    </section>
  );
}

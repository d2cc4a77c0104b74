import { useState } from 'react';

/** Rendered again while it contains the form. */
export function Tag() {
  const [count, setCount] = useState(0);
  return (
    <section onInput={() => setCount(count + 1)}>
      {/* studio: React, part 2 */}
      <p>{count} changes</p>
    </section>
  );
}

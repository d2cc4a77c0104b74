/** A limit that all relays share: allows one submission a day for each value of a field. */
export default (kit) => ({
  name: 'daily',
  features: [
    kit.feature({
      name: 'daily',
      reads: ['shared_state'],
      keys: {
        form: { daily: kit.key.optional('The field whose value is taken once a day.', kit.key.text()) },
      },
      configure: ({ form, provided }, at) => {
        if (!form.daily) return undefined;
        const state = provided.get('shared_state');
        if (!state)
          return at.in('daily').error('no store for counts is configured; write counted_in at the top');
        return {
          afterValidation: (next) => async (submission) => {
            const key = `daily ${kit.values.first(submission.values, form.daily)}`;
            let isTaken;
            await state.change(submission, key, (entry) => {
              isTaken = entry !== undefined;
              return entry ?? { text: submission.requestId, until: submission.receivedAt + 86_400_000 };
            });
            if (isTaken) return kit.refused(429, 'daily_taken');
            const outcome = await next(submission);
            if (outcome.message) await state.change(submission, key, () => undefined);
            return outcome;
          },
        };
      },
    }),
  ],
  messages: { en: { daily_taken: 'This was sent today.' } },
});

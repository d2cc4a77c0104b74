/** Holds each submission until its owner releases it. */
export default (kit) => ({
  name: 'approve',
  features: [
    kit.feature({
      name: 'approve',
      reads: ['held'],
      after: ['places', 'links', 'double_opt_in'], // they wrap this feature
      keys: { form: { approve: kit.key.optional('Waits until its owner approves it.', kit.key.boolean()) } },
      configure: ({ form, provided }, at) => {
        if (!form.approve) return undefined;
        const held = provided.get('held');
        if (!held) return at.in('approve').error('add keep: {in: /var/lib/form-relay} at the top');
        return {
          provides: held,
          afterValidation: () => async (submission) => {
            const key = `approve ${submission.requestId}`;
            const until = submission.receivedAt + 7 * 86_400_000;
            await held.hold(submission, { key, until, why: 'the submission waits for approval' });
            return { kind: 'held', status: 200 };
          },
        };
      },
      routes: [
        {
          name: 'approve',
          method: 'POST', // check here who sends the request
          answer: async ({ form, request }) => {
            const { id, drop } = Object.fromEntries(new URLSearchParams(request.query));
            const held = form.provided.get('approve');
            const number = await (drop ? held.drop(`approve ${id}`) : held.release(`approve ${id}`));
            return { status: number > 0 ? 200 : 404, headers: {}, body: '' };
          },
        },
      ],
    }),
  ],
});

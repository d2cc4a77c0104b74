/** A command: lists the forms of a config, with the number of fields in each. */
export default (kit) => ({
  name: 'my-plugin',
  commands: [
    kit.command({
      name: 'my-plugin',
      summary: 'list the forms with the number of their fields',
      options: {
        form: kit.key.optional('only this form', kit.key.text()),
      },
      examples: [['relay my-plugin', 'list the forms of webform.yaml']],
      run: async ({ form }, { config, print, fail }) => {
        const { forms } = await config();
        if (form !== undefined && !forms.has(form)) throw fail(`there is no form "${form}"`);
        for (const [name, { fields }] of forms)
          if (form === undefined || form === name) print(`${name}: ${fields.length}\n`);
      },
    }),
  ],
});

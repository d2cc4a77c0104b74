/** The config on a first visit. */
export const firstConfig = `# Change anything: the form follows at once.
forms:
  contact:
    title: Write to us
    submit_label: Send
    confirmation: Thank you! We answer within two days.
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - name: topic
        type: select
        options: [A question, An order, Press]
      - name: order_number
        pattern: "[A-Z]{2}-\\\\d{4}"
        placeholder: AB-1234
        visible_when: {field: topic, is: An order}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website, min_fill_seconds: 2, too_fast: doubt, doubt: tag}
    outputs:
      - type: http_post
        url: https://hooks.example.com/contact
        mapping: "*"
      - type: smtp
        host: smtp.example.com
        from: Website <forms@example.com>
        to: office@example.com
        reply_to: "{{ .fields.email }}"
        subject: "{{ .fields.topic }} from {{ .fields.name }}"
        mapping: "*"
        on_error: continue
`;

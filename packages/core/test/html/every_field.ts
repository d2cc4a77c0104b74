/** A form with every field type and every visible key. `$sink` is a URL. */
export const everyField = `
  every_field:
    title: Tell us about it
    time_zone: Europe/Berlin
    submit_label: Send it
    confirmation: Thank you, we will be in touch.
    fields:
      - {name: first_name, required: true, placeholder: Ada, autocomplete: given-name, min_length: 2, max_length: 40}
      - {name: email, type: email, required: true, help: Only to answer you., autocomplete: email}
      - {name: message, type: textarea, label: Your message, rows: 4, min_length: 10, placeholder: What is it about?}
      - {name: campaign, type: hidden, value: spring}
      - {name: website, type: url, placeholder: "https://example.com"}
      - {name: phone, type: tel, pattern: "[0-9+ ]+", help: "Digits, spaces and +."}
      - {name: seats, type: number, min: 1, max: 9, value: 2}
      - {name: day, type: date, min: 2030-01-01, max: 2030-12-31}
      - {name: at, type: time, min: 09:00, max: 17:00, step: 15m}
      - {name: appointment, type: datetime, step: 30m}
      - {name: country, type: select, required: true, options: [{value: gb, label: Great Britain}, France]}
      - {name: languages, type: select, multiple: true, options: [English, French, German], value: [English, German]}
      - {name: kind, type: radios, required: true, options: [personal, {value: business, label: For a company}]}
      - {name: company, required: true, visible_when: {field: kind, is: business}}
      - {name: topics, type: checkboxes, required: true, min_choices: 2, options: [sales, support, press], help: Two at least.}
      - {name: consent, type: checkbox, required: true, label: You may write to me, help: Never to sell anything.}
      - {name: home, type: address, countries: [DE], required: true}
      - {name: work, type: address, autocomplete: billing, countries: [DE, AT, CH]}
      - {name: rated, type: grid, required: true, rows: [food, {value: music, label: The music}], options: [poor, good]}
      - {name: days, type: grid, several: true, rows: [morning, evening], options: [mon, tue]}
      - {name: guests, type: repeat, least: 1, most: 4, item: "Guest {n}", fields: [{name: name, required: true}, {name: age, type: number}]}
      - {name: terms, type: consent, version: 3, label: "I agree to the [terms](https://example.com/terms)."}
      - {name: mobile, type: tel, country: DE}
      - {name: stars, type: rating, value: 4}
      - {name: nps, type: scale, low: Not at all likely, high: Very likely}
      - {name: nights, type: range, min: 1, max: 14}
      - {name: nation, type: country}
    spam: {honeypot: nickname, min_fill_seconds: 3}
    outputs: [{type: http_post, url: "$sink", mapping: "*"}]
`;

// Written by `npm run generate` from docs/outputs/.
import type { recipeNames } from './recipe_names.ts';

interface Recipe {
  readonly page: string;
  readonly config: string;
}

export const recipes: Readonly<Record<keyof typeof recipeNames, Recipe>> = {
  airtable: {
    page: 'docs/outputs/airtable.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [Sales, Support, Press]}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # The base, and the table.
        url: https://api.airtable.com/v0/appAbCdEfGhIjKlMn/tblAbCdEfGhIjKlMn
        headers: {Authorization: 'Bearer {{ env "AIRTABLE_TOKEN" }}'}
        body:
          records:
            # Your columns.
            - fields:
                Name: "{{ .fields.name }}"
                Email: {$field: email}
                Topics: {$field: topics}
                Message: {$field: message}
                Received: "{{ .submitted_at }}"
          # Makes numbers, dates and choices of texts where a column wants them.
          typecast: true
        expect: {code: error.type}
`,
  },
  apps_script: {
    page: 'docs/outputs/apps_script.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # The address of your script.
        url_env: SHEET_URL
        # The names that the script reads.
        mapping: {name: name, email: email, message: message}
        static: {received: "{{ .submitted_at }}"}
        # Google sends on to the answer when the script has run, and to other places when it has not.
        expect: {status: 302, location: https://script.googleusercontent.com}
`,
  },
  brevo: {
    page: 'docs/outputs/brevo.md',
    config: `forms:
  newsletter:
    fields:
      - {name: first_name, max_length: 100}
      - {name: email, type: email, required: true}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.brevo.com/v3/contacts
        headers: {api-key: '{{ env "BREVO_KEY" }}'}
        body:
          email: "{{ .fields.email }}"
          # Your attributes.
          attributes: {FIRSTNAME: {$field: first_name}}
          # The numbers of your lists.
          listIds: [2]
          # Without it, Brevo refuses who is a contact already.
          updateEnabled: true
        expect: {code: code}
`,
  },
  brevo_mail: {
    page: 'docs/outputs/brevo_mail.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.brevo.com/v3/smtp/email
        headers: {api-key: '{{ env "BREVO_KEY" }}'}
        body:
          # Your sender, and where the mail goes.
          sender: {email: website@example.com, name: Website}
          to: [{email: you@example.com}]
          replyTo: {email: "{{ .fields.email }}"}
          subject: "Message from {{ .fields.name }}"
          # Plain text. HTML would be a template of Brevo's.
          textContent: |-
            {{ .fields.message }}

            {{ .fields.name }}, {{ .fields.email }}
        expect: {code: code}
`,
  },
  crm_web2lead: {
    page: 'docs/outputs/salesforce.md',
    config: `forms:
  demo:
    title: Book a demo
    fields:
      - {name: first_name, autocomplete: given-name}
      - {name: last_name, required: true, autocomplete: family-name}
      - {name: email, type: email, required: true, autocomplete: email}
      - {name: company, required: true, autocomplete: organization}
      - {name: products, type: checkboxes, options: [Forms, Mail, Storage]}
    spam:
      honeypot: website
    outputs:
      - type: crm_web2lead
        url: https://webto.salesforce.com/servlet/servlet.WebToLead?encoding=UTF-8
        mapping:
          first_name: first_name
          last_name: last_name
          email: email
          company: company
          00N000000000001: products # a multi-select picklist gets every choice
        static:
          oid: 00D000000000001 # your organization's id
          lead_source: Website
      - type: smtp # a copy for people: see below
        on_error: continue
        host: smtp.example.com
        to: sales@example.com
        reply_to: "{{ .fields.email }}"
        mapping: "*"
`,
  },
  discord: {
    page: 'docs/outputs/discord.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: discord
        # The variable that holds the address of your webhook.
        url_env: DISCORD_URL
`,
  },
  email: {
    page: 'docs/outputs/email.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true}
    outputs:
      - type: email
        to: sales@example.com
        reply_to: "{{ .fields.email }}"
        subject: "Message from {{ .fields.name }}"
        mapping: "*"
`,
  },
  folder: {
    page: 'docs/outputs/archive.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: folder
        # It must be there, and the relay's user must be able to write into it.
        path: /var/lib/form-relay
`,
  },
  github: {
    page: 'docs/outputs/github.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # OWNER/REPOSITORY
        url: https://api.github.com/repos/example/website/issues
        headers:
          Authorization: 'Bearer {{ env "GITHUB_TOKEN" }}'
          Accept: application/vnd.github+json
          X-GitHub-Api-Version: "2022-11-28"
        body:
          title: "Message from {{ .fields.name }}"
          # In \`code\`, no @name rings anybody.
          body: |-
            {{ code .fields.message }}
            From:
            {{ code .fields.name }}
            {{ code .fields.email }}
          labels: [website]
`,
  },
  gitlab: {
    page: 'docs/outputs/gitlab.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # The number of your project. On a server of your own, its name instead of gitlab.com.
        url: https://gitlab.com/api/v4/projects/278964/issues
        headers: {PRIVATE-TOKEN: '{{ env "GITLAB_TOKEN" }}'}
        body:
          title: "Message from {{ .fields.name }}"
          # In \`code\`, no line is a command and no @name rings anybody.
          description: |-
            {{ code .fields.message }}
            From:
            {{ code .fields.name }}
            {{ code .fields.email }}
          labels: website
          # Only members see it.
          confidential: true
`,
  },
  google_chat: {
    page: 'docs/outputs/google_chat.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: google_chat
        # The variable that holds the address of your webhook.
        url_env: GOOGLE_CHAT_URL
`,
  },
  google_sheets: {
    page: 'docs/outputs/google_sheets.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [Sales, Support, Press]}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # The id of your sheet. RAW: what a visitor writes is never a formula.
        url: https://sheets.googleapis.com/v4/spreadsheets/1x2y3z/values/A1:append?valueInputOption=RAW&insertDataOption=INSERT_ROWS
        oauth2:
          grant: jwt_bearer
          service_account: '{{ env "GOOGLE_SERVICE_ACCOUNT" }}'
          scope: https://www.googleapis.com/auth/spreadsheets
        body:
          # One row, in the order of your columns. A text for each, so that no column is left out.
          values:
            - - "{{ .submitted_at }}"
              - "{{ .fields.name }}"
              - "{{ .fields.email }}"
              - '{{ join ", " (values "topics") }}'
              - "{{ .fields.message }}"
        expect:
          json: {at: updates.updatedRows, is: 1}
          code: error.status
`,
  },
  http_post: {
    page: 'docs/outputs/automation.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support, press]}
      - {name: message, type: textarea}
    outputs:
      - type: http_post
        url: https://hooks.example.com/hooks/catch/1234567/abcdefg/ # as the service shows it
        headers: {X-Make-Apikey: '{{ env "HOOK_KEY" }}'} # if the service checks a key
        mapping:
          name: name
          email: email
          message: message
        static:
          topics: '{{ join ", " (values "topics") }}'
          form: "{{ .form.id }}"
          received: "{{ .submitted_at }}"
`,
  },
  hubspot: {
    page: 'docs/outputs/hubspot.md',
    config: `forms:
  contact:
    fields:
      - {name: first_name, autocomplete: given-name}
      - {name: last_name, autocomplete: family-name}
      # HubSpot makes no contact without an address.
      - {name: email, type: email, required: true, autocomplete: email}
      - {name: topics, type: checkboxes, options: [sales, support, press]}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # The portal, and the form.
        url: https://api.hsforms.com/submissions/v3/integration/submit/1234567/78c2891f-ebdd-44c0-bd94-15c012bbbfbf
        body:
          # 0-1 is a contact. The names are HubSpot's.
          fields:
            - {objectTypeId: "0-1", name: email, value: "{{ .fields.email }}"}
            - {objectTypeId: "0-1", name: firstname, value: "{{ .fields.first_name }}"}
            - {objectTypeId: "0-1", name: lastname, value: "{{ .fields.last_name }}"}
            # Several choices in one text, as HubSpot wants them.
            - {objectTypeId: "0-1", name: topics, value: '{{ join ";" (values "topics") }}'}
            - {objectTypeId: "0-1", name: message, value: "{{ .fields.message }}"}
          # The page of your form.
          context: {pageUri: https://www.example.com/contact, pageName: Contact}
        expect: {code: errors.0.errorType}
`,
  },
  jira: {
    page: 'docs/outputs/jira.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # Your site.
        url: https://example.atlassian.net/rest/api/3/issue
        headers: {Authorization: 'Basic {{ env "JIRA_LOGIN" }}'}
        body:
          fields:
            # Your project, and a kind of issue that it has.
            project: {key: DESK}
            issuetype: {name: Task}
            # One line, at most 255 characters.
            summary: "Message from {{ .fields.name }}"
            # In this format nothing that a visitor writes has an effect. No text in it may be empty.
            description:
              type: doc
              version: 1
              content:
                - type: paragraph
                  content: [{type: text, text: "{{ .fields.name }}, {{ .fields.email }}"}]
                - type: codeBlock
                  content: [{type: text, text: "{{ .fields.message }}"}]
`,
  },
  linear: {
    page: 'docs/outputs/linear.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.linear.app/graphql
        headers: {Authorization: '{{ env "LINEAR_KEY" }}'}
        body:
          query: "mutation Issue($input: IssueCreateInput!) { issueCreate(input: $input) { success } }"
          variables:
            input:
              # The id of your team.
              teamId: 9cfb482a-81e3-4154-b5b9-2c805e70a02d
              title: "Message from {{ .fields.name }}"
              # In \`code\`, no markup works.
              description: |-
                {{ code .fields.message }}
                From:
                {{ code .fields.name }}
                {{ code .fields.email }}
        # Linear can answer 200 and mean no.
        expect:
          json: {at: data.issueCreate.success, is: true}
          code: errors.0.extensions.code
`,
  },
  listmonk: {
    page: 'docs/outputs/listmonk.md',
    config: `forms:
  newsletter:
    fields:
      - {name: name, max_length: 100}
      - {name: email, type: email, required: true}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # Your Listmonk.
        url: https://lists.example.com/api/public/subscription
        body:
          email: "{{ .fields.email }}"
          name: {$field: name}
          # Your lists.
          list_uuids: [eb420c55-4cfb-4972-92ba-c93c34ba475d]
`,
  },
  mailchimp: {
    page: 'docs/outputs/mailchimp.md',
    config: `forms:
  newsletter:
    fields:
      - {name: first_name, max_length: 100}
      - {name: email, type: email, required: true}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # Your data centre, and the audience.
        url: https://us21.api.mailchimp.com/3.0/lists/0a1b2c3d4e
        headers: {Authorization: 'Basic {{ env "MAILCHIMP_LOGIN" }}'}
        body:
          members:
            - email_address: "{{ .fields.email }}"
              # A mail asks first. With \`subscribed\`, nobody is asked.
              status: pending
              merge_fields: {FNAME: {$field: first_name}}
          # Who is in the audience already stays as they are.
          update_existing: false
        expect:
          # Mailchimp answers 200 whatever it does. No error is fine, and so is: was here before.
          json: {at: errors.0.error_code, is: ["", ERROR_CONTACT_EXISTS]}
          code: errors.0.error_code
`,
  },
  mailgun: {
    page: 'docs/outputs/mailgun.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: http_post
        # Your domain. In the EU: api.eu.mailgun.net
        url: https://api.mailgun.net/v3/mg.example.com/messages
        headers: {Authorization: 'Basic {{ env "MAILGUN_LOGIN" }}'}
        static:
          # Your sender, and where the mail goes.
          from: Website <website@mg.example.com>
          to: you@example.com
          h:Reply-To: "{{ .fields.email }}"
          subject: "Message from {{ .fields.name }}"
          text: |-
            {{ .fields.message }}

            {{ .fields.name }}, {{ .fields.email }}
`,
  },
  matrix: {
    page: 'docs/outputs/matrix.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: matrix
        # The server of the user.
        homeserver: https://matrix.example.org
        # The id of your room.
        room: "!abc:example.org"
        token: '{{ env "MATRIX_TOKEN" }}'
`,
  },
  mattermost: {
    page: 'docs/outputs/mattermost.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: mattermost
        # The variable that holds the address of your webhook.
        url_env: MATTERMOST_URL
`,
  },
  notion: {
    page: 'docs/outputs/notion.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: topic, type: select, options: [Sales, Support, Press]}
      # Notion takes 2000 characters in one piece of text.
      - {name: message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.notion.com/v1/pages
        headers:
          Authorization: 'Bearer {{ env "NOTION_TOKEN" }}'
          Notion-Version: "2025-09-03"
        body:
          # The ID of your data source.
          parent: {type: data_source_id, data_source_id: 248104cd-477e-80af-bc30-000bd28de8f9}
          # Your columns, each in the form of its type.
          properties:
            Name: {title: [{text: {content: "{{ .fields.name }}"}}]}
            Email: {email: {$field: email}}
            Topic: {select: {name: {$field: topic}}}
            Message: {rich_text: [{text: {content: "{{ .fields.message }}"}}]}
        expect: {code: code}
`,
  },
  ntfy: {
    page: 'docs/outputs/ntfy.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: ntfy
        # The variable that holds your topic.
        topic: '{{ env "NTFY_TOPIC" }}'
`,
  },
  postmark: {
    page: 'docs/outputs/postmark.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.postmarkapp.com/email
        headers:
          X-Postmark-Server-Token: '{{ env "POSTMARK_TOKEN" }}'
          Accept: application/json
        body:
          # Your sender, and where the mail goes.
          From: website@example.com
          To: you@example.com
          ReplyTo: "{{ .fields.email }}"
          Subject: "Message from {{ .fields.name }}"
          TextBody: |-
            {{ .fields.message }}

            {{ .fields.name }}, {{ .fields.email }}
        expect:
          json: {at: ErrorCode, is: 0}
          code: ErrorCode
`,
  },
  resend: {
    page: 'docs/outputs/resend.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.resend.com/emails
        headers: {Authorization: 'Bearer {{ env "RESEND_KEY" }}'}
        body:
          # Your sender, and where the mail goes.
          from: Website <website@example.com>
          to: [you@example.com]
          reply_to: "{{ .fields.email }}"
          subject: "Message from {{ .fields.name }}"
          text: |-
            {{ .fields.message }}

            {{ .fields.name }}, {{ .fields.email }}
        expect: {code: name}
`,
  },
  s3: {
    page: 'docs/outputs/archive.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: s3
        bucket: example-submissions
        # A folder of the bucket. Leave it out where the bucket is for this alone.
        prefix: forms
`,
  },
  salesforce: {
    page: 'docs/outputs/salesforce_rest.md',
    config: `forms:
  demo:
    fields:
      - {name: first_name, max_length: 40, autocomplete: given-name}
      - {name: last_name, required: true, max_length: 80, autocomplete: family-name}
      - {name: email, type: email, required: true, autocomplete: email}
      - {name: company, required: true, max_length: 255, autocomplete: organization}
      - {name: message, type: textarea, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # Your My Domain, twice.
        url: https://firm.my.salesforce.com/services/data/v62.0/sobjects/Lead
        oauth2:
          grant: client_credentials
          token_url: https://firm.my.salesforce.com/services/oauth2/token
          client_id: '{{ env "SF_CONSUMER_KEY" }}'
          client_secret: '{{ env "SF_CONSUMER_SECRET" }}'
        # Their names: your fields. LastName and Company must be there.
        mapping:
          FirstName: first_name
          LastName: last_name
          Email: email
          Company: company
          Description: message
        static: {LeadSource: Website}
        expect: {code: 0.errorCode}
`,
  },
  sendgrid: {
    page: 'docs/outputs/sendgrid.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        url: https://api.sendgrid.com/v3/mail/send
        headers: {Authorization: 'Bearer {{ env "SENDGRID_KEY" }}'}
        body:
          # Where the mail goes, and your sender.
          personalizations: [{to: [{email: you@example.com}]}]
          from: {email: website@example.com, name: Website}
          reply_to: {email: "{{ .fields.email }}"}
          subject: "Message from {{ .fields.name }}"
          content:
            - type: text/plain
              value: |-
                {{ .fields.message }}

                {{ .fields.name }}, {{ .fields.email }}
`,
  },
  slack: {
    page: 'docs/outputs/slack.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: slack
        # The variable that holds the address of your webhook.
        url_env: SLACK_URL
`,
  },
  smtp: {
    page: 'docs/outputs/email.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true}
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support, press]}
      - {name: message, type: textarea, required: true}
    spam: {honeypot: website}
    outputs:
      - type: smtp
        host: smtp.example.com
        port: 587 # 465 if your provider says "SSL" or "TLS from the start"
        tls: required
        username: '{{ env "SMTP_USERNAME" }}'
        password: '{{ env "SMTP_PASSWORD" }}'
        from: website@example.com # an address that this account may send from
        to: sales@example.com, archive@example.com
        reply_to: "{{ .fields.email }}"
        subject: "Message from {{ .fields.name }}"
        mapping: "*"
`,
  },
  teams: {
    page: 'docs/outputs/teams.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: teams
        # The variable that holds the address of your workflow.
        url_env: TEAMS_URL
`,
  },
  telegram: {
    page: 'docs/outputs/telegram.md',
    config: `forms:
  contact:
    title: Write to us
    fields:
      - {name: name, label: Name, required: true, max_length: 100}
      - {name: email, label: E-mail, type: email, required: true}
      - {name: message, label: Message, type: textarea, required: true, max_length: 2000}
    spam: {honeypot: website}
    outputs:
      - type: telegram
        token: '{{ env "TELEGRAM_TOKEN" }}'
        # The number of your chat.
        chat_id: -1001234567890
`,
  },
  webhook: {
    page: 'docs/outputs/webhook.md',
    config: `forms:
  contact:
    fields:
      - {name: email, type: email, required: true}
      - {name: topics, type: checkboxes, options: [sales, support, press]}
      - {name: seats, type: number}
      - {name: newsletter, type: checkbox}
    outputs:
      - type: webhook
        url: https://api.example.com/leads
        headers: {Authorization: 'Bearer {{ env "CRM_TOKEN" }}'}
        mapping: {mail: email, topics: topics, seats: seats, newsletter: newsletter}
        static: {source: website}
`,
  },
  zendesk: {
    page: 'docs/outputs/zendesk.md',
    config: `forms:
  contact:
    fields:
      - {name: name, required: true, max_length: 100}
      - {name: email, type: email, required: true}
      - {name: message, type: textarea, required: true, max_length: 5000}
    spam: {honeypot: website}
    outputs:
      - type: webhook
        # Your subdomain.
        url: https://example.zendesk.com/api/v2/tickets.json
        headers: {Authorization: 'Basic {{ env "ZENDESK_LOGIN" }}', Accept: application/json}
        body:
          ticket:
            subject: "Message from {{ .fields.name }}"
            comment: {body: "{{ .fields.message }}"}
            requester: {name: "{{ .fields.name }}", email: "{{ .fields.email }}"}
            tags: [website]
        expect: {code: error}
`,
  },
};

/** Says what runs here. */
export const frontPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Kibble</title>
<style>body{font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem}</style>
<h1>Kibble is running</h1>
<p>Join with any Colyseus SDK: <code>client.auth.signInAnonymously()</code>, then
<code>client.joinOrCreate('home')</code>. The <code>README.md</code> beside the server says what comes next.</p>
<p>Health: <a href="/livez">/livez</a>, <a href="/readyz">/readyz</a>.
<code>npm run demo</code> tells the story of one pet.</p>
</html>
`;

// Shown when the API answers 401: how to get a session.
import control from "../parts/control.module.css";
import style from "./standing-page.module.css";

export function SignedOutPage() {
  return (
    <main className={style.page} data-testid="signed-out">
      <div className={style.card}>
        <p className={style.brand}>
          <img src="/favicon.svg" alt="" width="24" height="24" />
          Lamella
        </p>
        <h1>You are not signed in</h1>
        <p>On your own machine, start Lamella and open the link it prints. The link signs you in once; the session then lasts 12 hours.</p>
        <pre>
          <code>npm start</code>
        </pre>
        <p className={style.muted}>
          It runs already? Press Enter in its terminal for a fresh link. On a server of your organisation, ask an owner of the tenant for an
          invitation.
        </p>
        <div className={style.actions}>
          <button type="button" className={`${control.button} ${control.primary}`} onClick={() => location.reload()}>
            I have signed in
          </button>
        </div>
      </div>
    </main>
  );
}

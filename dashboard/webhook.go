package dashboard

import (
	"net/http"
	"slices"

	"blaise.dev/blaise"
	"blaise.dev/blaise/api"
	"blaise.dev/blaise/control"
)

// deliveriesShown is how many deliveries stand on one page.
const deliveriesShown = 50

// A webhooksPage lists the webhooks; Secret is that of one just made.
type webhooksPage struct {
	Webhooks []api.Webhook
	Kinds    []blaise.NewsKind
	Secret   string
	URL      string // of the one just made, or as it was filled in
	Chosen   []string
}

// Has says whether a kind of news is chosen in the form; at first all are.
func (p webhooksPage) Has(k blaise.NewsKind) bool {
	return len(p.Chosen) == 0 || slices.Contains(p.Chosen, string(k))
}

func (d *dashboard) webhooks(w http.ResponseWriter, r *http.Request) {
	d.webhooksWith(w, r, nil, webhooksPage{})
}

func (d *dashboard) webhooksWith(w http.ResponseWriter, r *http.Request, f *failure, p webhooksPage) {
	var err error
	if p.Webhooks, err = d.views.Webhooks(r.Context()); err != nil {
		d.fail(w, r, err)
		return
	}
	p.Kinds = blaise.NewsKinds()
	status := http.StatusOK
	if f != nil {
		status = f.Status
	}
	d.show(w, r, status, "webhooks", page{Title: "Webhooks", Nav: "webhooks", Error: f, Body: p})
}

func (d *dashboard) newWebhook(w http.ResponseWriter, r *http.Request) {
	p := webhooksPage{URL: r.PostFormValue("url"), Chosen: r.PostForm["event"]}
	if len(p.Chosen) == 0 { // the API takes that for all, and nobody who unticked them means it
		err := blaise.Errorf(blaise.CodeInvalid, "no event is chosen").WithHint("tick at least one")
		d.webhooksWith(w, r, d.failureOf(r, err), p)
		return
	}
	_, secret, err := d.control.CreateWebhook(r.Context(), d.o.User(r).Name, control.NewWebhook{
		URL: p.URL, Events: p.Chosen,
	})
	if err != nil {
		d.webhooksWith(w, r, d.failureOf(r, err), p)
		return
	}
	d.webhooksWith(w, r, nil, webhooksPage{Secret: secret.Shown(), URL: p.URL})
}

// A webhookPage is one webhook with what it was told.
type webhookPage struct {
	api.Webhook
	Deliveries []api.Delivery
	Older      blaise.DeliveryID
}

func (d *dashboard) webhook(w http.ResponseWriter, r *http.Request) {
	id := blaise.WebhookID(r.PathValue("id"))
	told, err := d.views.Deliveries(r.Context(), id, blaise.DeliveryID(r.FormValue("before")), deliveriesShown)
	if err != nil {
		d.fail(w, r, err)
		return
	}
	all, err := d.views.Webhooks(r.Context())
	if err != nil {
		d.fail(w, r, err)
		return
	}
	p := webhookPage{Deliveries: told.Deliveries, Older: told.Next}
	for _, one := range all {
		if one.ID == id {
			p.Webhook = one
		}
	}
	d.show(w, r, http.StatusOK, "webhook", page{Title: "Webhook " + string(id), Nav: "webhooks", Body: p})
}

func (d *dashboard) enableWebhook(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	d.changed(w, r, "/webhooks/"+id, d.control.EnableWebhook(r.Context(), d.o.User(r).Name, blaise.WebhookID(id)))
}

func (d *dashboard) deleteWebhook(w http.ResponseWriter, r *http.Request) {
	d.changed(w, r, "/webhooks", d.control.DeleteWebhook(r.Context(), d.o.User(r).Name, blaise.WebhookID(r.PathValue("id"))))
}

func (d *dashboard) redeliver(w http.ResponseWriter, r *http.Request) {
	err := d.control.Redeliver(r.Context(), d.o.User(r).Name, blaise.DeliveryID(r.PostFormValue("delivery")))
	d.changed(w, r, "/webhooks/"+r.PathValue("id"), err)
}

// changed goes on to a page after a form that needs no answer of its own.
func (d *dashboard) changed(w http.ResponseWriter, r *http.Request, to string, err error) {
	if err != nil {
		d.fail(w, r, err)
		return
	}
	done(w, r, to)
}

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chordgit/chordgit/edit"
	"github.com/chordgit/chordgit/gitops"
	"github.com/chordgit/chordgit/hooks"
	"github.com/chordgit/chordgit/patchapply"
	"github.com/spf13/cobra"
)

type toolsOptions struct {
	model, provider, endpoint string
	builtin, instructions     bool
}

// gatewayAdvice is what to do about a host that does not know custom tools.
const gatewayAdvice = "if the host of the model refuses custom tools or turns them into functions, set compat.apply_patch.freeform: false for that provider or model"

func (a *app) toolsCommand() *cobra.Command {
	var opt toolsOptions
	cmd := &cobra.Command{
		Use:   "tools --model NAME",
		Short: "Print the definitions of the tools to offer to a model",
		Long: `Tools prints what stands under "tools" in a request to the model's endpoint, as
one JSON list: apply_patch for models that were trained on it (gpt-5 and later),
otherwise edit, write and delete. With --builtin at the Responses endpoint,
apply_patch is the tool that the endpoint brings along, printed by itself if
there is no other.

A tool that permission denies for every path is left out; apply_patch and edit
then stand in for each other.

compat.apply_patch.enabled and .freeform in .chordgit.yaml or in the user's
configuration decide otherwise, for a model of a provider, a provider, or all.
` + strings.ToUpper(gatewayAdvice[:1]) + gatewayAdvice[1:] + `.`,
		Example: `  chordgit tools --model gpt-5.5 --endpoint responses
  chordgit tools --model claude-opus-4-5 --endpoint messages
  chordgit tools --model gpt-5.5 --provider relay --instructions`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if opt.model == "" {
				return errors.New("--model is missing: name the model that will see the tools")
			}
			if words := hooks.Endpoints(); opt.endpoint != "" && !slices.Contains(words, opt.endpoint) {
				return fmt.Errorf("--endpoint: want one of %s, found %q", strings.Join(words, ", "), opt.endpoint)
			}
			return a.tools(opt)
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.model, "model", "", "`NAME` of the model")
	f.StringVar(&opt.provider, "provider", "", "`NAME` of its host in the configuration")
	f.StringVar(&opt.endpoint, "endpoint", "", "`FORM` of the request: responses, chat, messages, gemini or mcp (default the provider's type, else chat)")
	f.BoolVar(&opt.builtin, "builtin", false, "offer the apply_patch tool that the Responses endpoint brings along")
	f.BoolVar(&opt.instructions, "instructions", false, "print a paragraph for the system prompt instead")
	return cmd
}

// tools prints what a model is offered.
func (a *app) tools(opt toolsOptions) error {
	repo, err := a.open()
	if err == nil {
		defer repo.Close()
	} else if !errors.Is(err, &edit.Error{Code: gitops.NotARepository}) { // the user's file counts there, too
		a.report(newFailure("tools", err))
		return nil
	}
	layers, err := a.layers(repo)
	if err != nil {
		a.report(newFailure("tools", err))
		return nil
	}
	config := hooks.MergeModel(opt.provider, opt.model, layers...)
	for _, endpoint := range []string{config.Type, "chat"} {
		if opt.endpoint == "" {
			opt.endpoint = endpoint
		}
	}
	if opt.builtin && opt.endpoint != "responses" {
		return fmt.Errorf("--builtin: only the responses endpoint brings a tool along, not %s", opt.endpoint)
	}
	verdicts, err := a.verdicts(repo, layers)
	if err != nil {
		a.report(newFailure("tools", err))
		return nil
	}
	offer := hooks.OfferTools(opt.model, opt.endpoint, config, verdicts)
	offer.Builtin = opt.builtin
	return a.printTools(opt, offer, toolNotes(offer, config))
}

// verdicts are what permission says of the tools.
func (a *app) verdicts(repo *gitops.Repo, files []*hooks.Config) (hooks.Verdicts, error) {
	layers, err := a.policyLayers(repo, files)
	if err != nil {
		return hooks.Verdicts{}, err
	}
	return hooks.NewPolicy(hooks.Site{}, layers...).Verdicts(), nil
}

// offers tells what a model was offered in a call: the one that the caller
// names, else the one that the request does. Where neither does, nothing is
// known.
func (a *app) offers(repo *gitops.Repo, model, provider string, layers []*hooks.Config) func(string) *patchapply.Offer {
	return func(named string) *patchapply.Offer {
		name := cmp.Or(model, named)
		if name == "" {
			return nil
		}
		config := hooks.MergeModel(provider, name, layers...)
		verdicts, err := a.verdicts(repo, layers)
		if err != nil {
			return nil // which refuses the request later on
		}
		offer := hooks.OfferTools(name, cmp.Or(config.Type, "responses"), config, verdicts) // only there the endpoint matters
		return &offer
	}
}

// toolNotes say what the definitions do not.
func toolNotes(offer patchapply.Offer, config hooks.ModelConfig) (notes []note) {
	switch patch := slices.Contains(offer.Tools, "apply_patch"); {
	case !patch:
	case offer.Endpoint != "responses" && config.Freeform != nil && *config.Freeform:
		notes = append(notes, note{Code: "no-custom-tool", Message: "compat.apply_patch.freeform: true has no effect at the endpoint " + offer.Endpoint + ", which knows functions only"})
	case offer.Custom && !offer.Builtin:
		notes = append(notes, note{Code: "gateway", Message: gatewayAdvice})
	}
	return notes
}

func (a *app) printTools(opt toolsOptions, offer patchapply.Offer, notes []note) error {
	definitions, err := offer.Definitions()
	if err != nil {
		return err
	}
	if a.json {
		answer := struct {
			Command      string            `json:"command"`
			Status       string            `json:"status"`
			Model        string            `json:"model"`
			Provider     string            `json:"provider,omitempty"`
			Endpoint     string            `json:"endpoint"`
			Visible      []string          `json:"visible"`
			Tools        []json.RawMessage `json:"tools"`
			Instructions string            `json:"instructions"`
			Notes        []note            `json:"notes"`
		}{"tools", "ok", opt.model, opt.provider, opt.endpoint, append([]string{}, offer.Tools...), definitions, offer.Instructions(), append([]note{}, notes...)}
		a.writeJSON(answer)
		return nil
	}
	if opt.instructions {
		fmt.Fprintln(a.stdout, offer.Instructions())
		return nil
	}
	for _, n := range notes {
		if !a.quiet {
			fmt.Fprintln(a.stderr, "Note: "+n.String())
		}
	}
	var value any = definitions
	if offer.Builtin && slices.Equal(offer.Tools, []string{"apply_patch"}) {
		value = definitions[0]
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s\n", text)
	return nil
}
